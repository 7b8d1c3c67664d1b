import { expect, it } from 'vitest'
import { openForEachTest, page, server } from './open-for-each-test.ts'

openForEachTest()

/** Asks twice for the same withdrawal, with another fee the second time; the first is answered with 409 and `code`. */
async function withdrawTwice(code: string) {
  const sent: { key: string | undefined; body: string | null }[] = []
  page.on('request', (request) => {
    if (request.method() !== 'POST' || new URL(request.url()).pathname !== '/v0/withdrawal') return
    sent.push({ key: request.headers()['idempotency-key'], body: request.postData() })
  })
  server.refuse('POST', /^\/v0\/withdrawal$/, { status: 409, code, message: 'It was refused.' })
  let fee = 0.00001
  await page.route('**/v0/withdrawal/fee*', (route) => route.fulfill({ json: { fee, most: 0.04, readAt: 1 } }))
  await page.goto(`${server.origin}/console/money/withdraw`)
  await page.getByLabel('Amount').fill('0.01')
  await page.getByLabel('Address').fill('an-address-of-mine')
  const chains = page.getByRole('group', { name: 'From' })
  for (const again of [false, true]) {
    const shown = `0.0000${again ? 2 : 1}000`
    await page.getByText(shown).first().waitFor()
    await page.getByRole('button', { name: /^Withdraw 0\.01/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^Withdraw/ }).click()
    await dialog.getByText('It was refused.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    fee = 0.00002
    await chains.getByRole('button', { name: 'Dogecoin' }).click({ timeout: 5000 })
    await chains.getByRole('button', { name: 'Nativecoin' }).click({ timeout: 5000 })
  }
  expect(sent).toHaveLength(2)
  return sent
}

it('a withdrawal that may still be made is sent again with the same key and fee, though the fee has changed', async () => {
  const [first, second] = await withdrawTwice('request_running')
  expect(second).toEqual(first)
})

it('a withdrawal that was rejected is sent anew with the fee that is shown now', async () => {
  const [first, second] = await withdrawTwice('fee_too_high')
  expect(second?.key).not.toBe(first?.key)
  expect(JSON.parse(second?.body ?? '')).toMatchObject({ maxFee: '0.00002000' })
})

/** Shows one withdrawal that waits, whose fee was 0.00001, while the network's is `now`; what is sent to pay more is collected. */
async function showWaiting(now: number) {
  const sent: unknown[] = []
  const waiting = {
    ...{ id: 'w1', blockchain: 'Nativecoin', address: 'ntc1qexample', amount: 0.02, fee: 0.00001, state: 'sent' },
    ...{ txid: null, depth: 0, message: "It was sent, but the network's fees are far above its fee now.", since: 1 },
    createdAt: 1,
  }
  await page.route('**/v0/withdrawal/fee*', (route) => route.fulfill({ json: { fee: now, most: 0.04, readAt: 1 } }))
  await page.route(/\/v0\/withdrawal(\?.*)?$/, (route) =>
    route.fulfill({
      json: {
        withdrawals: [sent.length > 0 ? { ...waiting, fee: now, message: undefined, since: undefined } : waiting],
      },
    }),
  )
  await page.route('**/v0/withdrawal/w1/fee', (route) => {
    sent.push(route.request().postDataJSON())
    return route.fulfill({ json: { ...waiting, fee: now } })
  })
  await page.goto(`${server.origin}/console/money`)
  await page.getByRole('button', { name: 'Pay a higher fee' }).click()
  return sent
}

it('a withdrawal that waits for lower fees is paid more for, as much as is shown, and says nothing then', async () => {
  const sent = await showWaiting(0.00003)
  const dialog = page.getByRole('dialog')
  await dialog
    .getByText(/0\.00003000\sNTC now\. You have paid 0\.00001000\sNTC\. 0\.00002000\sNTC more leaves/)
    .waitFor()
  await dialog.getByRole('button', { name: 'Pay a higher fee' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(sent).toEqual([{ maxFee: '0.00003000' }])
  await page.getByRole('button', { name: 'Pay a higher fee' }).waitFor({ state: 'detached' })
})

it('a withdrawal whose fee is not below that of now can not be paid more for', async () => {
  await showWaiting(0.00001)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('there is nothing to pay', { exact: false }).waitFor()
  expect(await dialog.getByRole('button', { name: 'Pay a higher fee' }).isDisabled()).toBe(true)
})
