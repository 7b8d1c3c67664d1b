import { beforeEach, expect, it } from 'vitest'
import { horizontalOverflow } from '../kit/check-accessibility.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { ADDRESS, addPayment, paidBy } from './server/add-payment.ts'
import { addItem, type FakePayment } from './server/fake-state.ts'

openForEachTest()

let payment: FakePayment

/** Announcements to a screen reader, and copied texts, in their order. */
const heard = () => page.evaluate(() => Reflect.get(window, 'heard'))

beforeEach(async () => {
  payment = addPayment(server.state)
  await page.addInitScript(() => {
    const told: string[] = []
    Reflect.set(window, 'heard', told)
    Reflect.set(Clipboard.prototype, 'writeText', async (text: string) => void told.push(`copied ${text}`))
    new MutationObserver(() => {
      const said = document.querySelector('[aria-live=polite]')?.textContent ?? ''
      if (said !== '' && told.at(-1) !== said) told.push(said)
    }).observe(document, { subtree: true, childList: true, characterData: true })
  })
  await page.goto(`${server.origin}/console/pay/${ADDRESS}`)
  await page.locator('.qr').waitFor()
  await expect.poll(() => server.state.streams).toBeGreaterThan(0)
})

it('the press that pays from the balance is no wider than the smallest phone', async () => {
  await page.setViewportSize({ width: 320, height: 740 })
  server.state.balances.Nativecoin = 100_000_000_000n
  await page.reload()
  await page.getByRole('button', { name: /^Pay 0\.06000000\sNTC from the balance$/ }).waitFor()
  expect(await horizontalOverflow(page)).toBe(0)
})

it('console 23 and 37: says how to pay, copies the address and the bare amount, and says so aloud', async () => {
  await page.getByText('Scan the code, open your wallet, or copy the address and the amount.').waitFor()
  await page.getByRole('link', { name: 'Open in a Nativecoin wallet' }).waitFor()
  const groups = await page.locator('.group').allTextContents()
  expect(groups.length).toBeGreaterThan(5)
  expect(groups.join('')).toBe(ADDRESS)
  await page.getByRole('img', { name: `QR code: 0.06000000\u00a0NTC on Nativecoin to ${ADDRESS}` }).waitFor()
  await page.getByRole('button', { name: 'Copy: Address on Nativecoin, for this order only' }).click()
  await expect.poll(heard).toContain('Address on Nativecoin, for this order only copied.')
  await page.getByRole('button', { name: 'Copy: Amount' }).click()
  await expect.poll(heard).toContain('Amount copied.')
  expect(await heard()).toEqual(expect.arrayContaining([`copied ${ADDRESS}`, 'copied 0.06000000']))
})

it('console 25 and 26: a payment that was replaced takes the page back, and one too small leaves exactly the rest', async () => {
  Object.assign(payment, { state: 'seen', received: payment.amount, transactions: [paidBy(0)] })
  server.emit('request.seen', { address: ADDRESS })
  await page.getByText('Seen, 0 of 3 blocks').waitFor()
  expect(await page.locator('.qr').count()).toBe(0)

  Object.assign(payment, { state: 'open', received: 0n, transactions: [{ ...paidBy(0), replaced: true }] })
  server.emit('request.open', { address: ADDRESS })
  await page.getByText('The payment that was seen was replaced by its sender.', { exact: false }).waitFor()
  await page.locator('.qr').waitFor()
  expect(await page.getByText('Seen, 0 of 3 blocks').count()).toBe(0)

  Object.assign(payment, { received: 5_000_000n, transactions: [{ ...paidBy(1), amount: 5_000_000n }] })
  server.emit('request.open', { address: ADDRESS })
  await page
    .getByText(/^0\.01000000\sNTC is missing\. Send the rest to the same address within \d+:\d\d\. If it/)
    .waitFor()
  const link = page.getByRole('link', { name: 'Open in a Nativecoin wallet' })
  expect(await link.getAttribute('href')).toBe(`nativecoin:${ADDRESS}?amount=0.01000000`)
  await page.getByText('Exchanges often deduct a fee', { exact: false }).waitFor()
  // The balance cannot pay the rest alone while the first part is reserved for this request: there is no button for it.
  expect(await page.getByRole('button', { name: /from the balance$/ }).count()).toBe(0)
})

it('console 27 and 28: a price is renewed as often as it runs out, and money that came late pays by one press', async () => {
  for (let times = 1; times <= 10; times++) {
    const [latest] = [...server.state.payments.values()].slice(-1)
    if (!latest) throw new Error('nothing is asked for')
    latest.state = 'expired'
    server.emit('request.expired', { address: latest.address })
    await page.getByText('The price ran out').waitFor()
    expect(await page.locator('.qr').count()).toBe(0)
    await page.getByRole('button', { name: 'Get a new price' }).click()
    await page.locator('.qr').waitFor()
    expect(server.state.payments.size).toBe(times + 1)
  }
  const [latest] = [...server.state.payments.values()].slice(-1)
  if (!latest) throw new Error('nothing is asked for')
  Object.assign(latest, { state: 'expired', credited: 7_000_000n })
  server.emit('request.late', { address: latest.address })
  await page.getByText(/^0\.07000000\sNTC came after the price ran out\. It is in your balance\.$/).waitFor()
  server.refuse('POST', /^\/v0\/payment$/, { status: 503, code: 'payment_unavailable', message: 'The node is away.' })
  await page.getByRole('button', { name: 'Pay with it' }).click()
  await page.getByText('The node is away.').waitFor()
})

it('console 27: more than was due is said with its amount and where it is', async () => {
  Object.assign(payment, { state: 'settled', received: 9_000_000n, credited: 3_000_000n, transactions: [paidBy(3)] })
  server.emit('request.settled', { address: ADDRESS })
  await page.getByText(/^0\.03000000\sNTC more came than was due\. It is in your balance\.$/).waitFor()
})

it('28.7: while too little is there, it says that nothing is lost; the deadline stands there from the beginning', async () => {
  await page.getByText(/^The price is fixed until \d+ \w+ \d+, \d\d:\d\d\.$/).waitFor()
  Object.assign(payment, { received: 5_000_000n, transactions: [{ ...paidBy(1), amount: 5_000_000n }] })
  server.emit('request.open', { address: ADDRESS })
  const kept = 'If it does not come in time, what you sent goes to your balance. Nothing is lost.'
  await page.getByText(kept, { exact: false }).waitFor()
})

it('28.7: the lines of a receipt add up, with what came beyond the price', async () => {
  const { id } = addItem(server.state, { name: 'overpaid.txt' })
  await page.goto(`${server.origin}/console/item/${id}/receipt`)
  const back = page.locator('.facts dt', { hasText: 'More than was due, now in your balance' })
  await back.waitFor()
  const amounts = (await page.locator('.facts dd').allTextContents()).flatMap((text) => {
    const amount = /^(−?)(\d+\.\d{8})\sNTC$/.exec(text)
    return amount ? Number(`${amount[1] ? '-' : ''}${amount[2]}`) : []
  })
  const total = amounts.pop()
  expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(total ?? 0, 8)
})

it('28.8: where nothing answers, what was read last stays, with its time', async () => {
  await page.goto(`${server.origin}/console/money`)
  const balance = page.locator('.balances').getByText('0.04120000')
  await balance.waitFor()
  server.refuse('GET', /^\/v0\/(user|events)$/, { status: 503, code: 'busy', message: 'A moment.' })
  server.cutStreams()
  await page
    .getByText(/^As of \d\d:\d\d$/)
    .first()
    .waitFor()
  await balance.waitFor()
})

it('28.8: a press does something within 100 ms, though nothing answers', async () => {
  server.state.balances.Nativecoin = 100_000_000n
  server.refuse('POST', /^\/v0\/payment$/, { status: 0, hangs: true })
  const pay = page.getByRole('button', { name: /from the balance$/ })
  const waited: number[] = []
  // The least of ten: what else the machine does only ever adds.
  for (let press = 0; press < 10 && Math.min(...waited, 9999) >= 100; press++) {
    await page.reload()
    await pay.waitFor()
    const took = pay.evaluate(async (button) => {
      const began = performance.now()
      if (button instanceof HTMLElement) button.click()
      while (button.textContent !== 'Paying') await new Promise((resolve) => requestAnimationFrame(resolve))
      return performance.now() - began
    })
    waited.push(await took)
  }
  expect(Math.min(...waited)).toBeLessThan(100)
})

it('console 36: a balance, what is on its way to it and what is reserved stand apart', async () => {
  await page.goto(`${server.origin}/console/money`)
  const of = (chain: string) => page.locator('.balances > div').filter({ hasText: chain })
  await of('Bitcoin')
    .getByText(/^0\.00061200\sBTC$/)
    .waitFor()
  await of('Bitcoin')
    .getByText(/^0\.00020000\sBTC on its way$/)
    .waitFor()
  await of('Dogecoin')
    .getByText(/^Nothing on its way, 5\.00000000\sDOGE reserved$/)
    .waitFor()
})
