import { beforeEach, expect, it } from 'vitest'
import { openForEachTest, page, server } from './open-for-each-test.ts'

openForEachTest({ viewport: { width: 1280, height: 860 } })
beforeEach(() => {
  server.state.permissions = ['operate', 'moderate']
})

it('26.6: many reports are dismissed at once, with one reason; a refusal keeps them selected', async () => {
  await page.goto(`${server.origin}/console/operate/reports`)
  const rows = page.getByRole('row').filter({ hasText: 'Copies the sign-in page of a bank' })
  await expect.poll(() => rows.count()).toBe(3)
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check()
  await rows.first().getByRole('checkbox').uncheck()
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.getByText('2 selected').waitFor()
  await bar.getByRole('button', { name: 'Dismiss 2 reports' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('made up, all of one morning')
  server.refuse('PUT', /^\/v0\/report$/, { status: 503, code: 'busy', message: 'Try again in a moment.' })
  await dialog.getByRole('button', { name: 'Dismiss 2 reports' }).click()
  await dialog.getByText('Try again in a moment.').waitFor()
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('made up, all of one morning')
  server.allowAll()
  await dialog.getByRole('button', { name: 'Dismiss 2 reports' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  expect(server.requests.filter((request) => request.startsWith('PUT /v0/report'))).toHaveLength(2)
  expect(await bar.count()).toBe(0)
})

it('28.15: the audit log names people by their email addresses', async () => {
  await page.goto(`${server.origin}/console/operate/audit`)
  const row = page.getByRole('row').filter({ hasText: 'order 12/2026' })
  await row.getByText('ann@example.com').waitFor()
  await row.getByText('about lee@example.com').waitFor()
  expect(await row.getByText('9f2ab04c').count()).toBe(0)
})

it('the audit log names the chain that an entry is about', async () => {
  await page.goto(`${server.origin}/console/operate/audit`)
  await page.getByRole('cell', { name: 'chain.stopped Bitcoin part:payouts' }).waitFor()
})

it('the health of a chain names the chain, everything that is stopped and every incident, and never "Everything works"', async () => {
  const since = 1_790_000_000
  await answerHealth({
    reason: 'payouts are stopped: the wallet is being moved',
    stops: [
      { part: 'payouts', cause: 'hand', reason: 'the wallet is being moved', since },
      { part: 'writing', cause: 'hand', reason: 'the node is replaced', since },
    ],
    incidents: [{ code: 'tx_chains_full', reason: 'Items wait for other transactions.', since }],
  })
  await page.goto(`${server.origin}/console/operate/health`)
  const problem = page.locator('.notice.bad')
  await problem.getByText('Bitcoin: payouts are stopped: the wallet is being moved.').waitFor()
  await problem.getByText(/^Writing is stopped since .*: the node is replaced$/).waitFor()
  await problem.getByText('Items wait for other transactions.').waitFor()
  await page.getByRole('cell', { name: 'Payouts are stopped, Writing is stopped' }).waitFor()
  await page.getByText('Look at Bitcoin').waitFor()
  expect(await page.getByText('Everything works').count()).toBe(0)
})

it('57: a moderator withdraws the address of a site, from a report of it and by its name, with a reason', async () => {
  await page.goto(`${server.origin}/console/operate/reports`)
  const dialog = page.getByRole('dialog')
  await page
    .getByRole('row')
    .filter({ hasText: 'my-bank' })
    .getByRole('button', { name: 'Withdraw an address' })
    .click()
  expect(await dialog.getByLabel('Address').inputValue()).toBe('my-bank')
  const act = dialog.getByRole('button', { name: 'Withdraw it' })
  expect(await act.isDisabled()).toBe(true)
  await dialog.getByLabel('Reason').fill('Pretends to be a bank')
  await act.click()
  await dialog.waitFor({ state: 'detached' })
  await page.goto(`${server.origin}/console/operate/denylist`)
  await page.getByRole('button', { name: 'Withdraw an address' }).click()
  await dialog.getByLabel('Address').fill('other-bank')
  await dialog.getByLabel('Reason').fill('Another one')
  await act.click()
  await dialog.waitFor({ state: 'detached' })
  expect(server.state.withdrawn).toEqual(['my-bank: Pretends to be a bank', 'other-bank: Another one'])
})

it('the health says how full the database is, and what is refused then', async () => {
  await answerHealth({}, { bytes: 8_200_000_000, limit: 10_000_000_000, counted: 1, daysLeft: 12, state: 'filling' })
  await page.goto(`${server.origin}/console/operate/health`)
  await page.getByText('The database uses 8.2 GB of 10.0 GB.').waitFor()
  await page.getByText('At the rate of the last week it is full in 12 days.').waitFor()
  await page.getByText('New items of accounts that never paid are refused.').waitFor()
})

/** The answer of the service, with these fields of Bitcoin and, if given, this database; the other chains work. */
async function answerHealth(bitcoin: object, database?: object): Promise<void> {
  await page.route('**/v0/operate/health', async (route) => {
    const response = await route.fetch()
    const health = await response.json()
    health.chains = { Bitcoin: { ...health.chains.Bitcoin, ...bitcoin } }
    if (database) health.database = database
    await route.fulfill({ response, json: health })
  })
}
