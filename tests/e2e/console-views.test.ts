import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { connect } from '../kit/call-devnet.ts'
import { axeViolations, horizontalOverflow, smallTargets } from '../kit/check-accessibility.ts'
import { pickFiles } from '../kit/pick-files.ts'
import { saveFile } from '../kit/save-file.ts'
import { PASSWORD } from '../kit/sign-up.ts'
import { uploadItem } from '../kit/upload-item.ts'
import { upload } from '../kit/use-console.ts'
import { browser, openService, page, send, worker } from './open-service.ts'

/** Waits for the chain and the jobs that follow it. */
const SLOW = { timeout: 60_000 }

/** Of a text that the balance paid. */
let item: string

// Nothing is looked at while its colour changes.
const context = { reducedMotion: 'reduce' } as const
openService({ settings: () => ({}), blockMs: 500, account: 'admin', opens: 'console', context })

const moneyRow = (tab: Page, text: string | RegExp) => tab.getByRole('row').filter({ hasText: text })

it('shows a deposit in every tab that is open, by one stream for all of them', { timeout: 240_000 }, async () => {
  const context = page.context()
  const streams: string[] = []
  context.on('request', (request) => request.url().endsWith('/v0/events') && streams.push(request.url()))
  await page.goto(`${worker.url}/console/money`)
  await page.getByRole('button', { name: 'Get an address on Nativecoin' }).click()
  const faucet = page.getByRole('link', { name: 'Pay from the faucet of this machine' })
  await faucet.waitFor()
  const other = await context.newPage()
  await other.goto(`${worker.url}/console/money`)
  await other.getByText('Your address on Nativecoin now').waitFor()
  await expect.poll(() => streams.length).toBe(1)

  const [paying] = await Promise.all([context.waitForEvent('page'), faucet.click()])
  await paying.getByRole('button', { name: 'Pay' }).click()
  await paying.getByText('Paid.').waitFor()
  await paying.close()
  for (const tab of [page, other]) {
    await tab.locator('.balances').getByText('1.00000000 NTC').waitFor(SLOW)
    await moneyRow(tab, 'Deposit').getByText('+1.00000000 NTC').waitFor(SLOW)
    await moneyRow(tab, 'Credited').waitFor(SLOW)
  }
  expect(streams).toHaveLength(1)
  await other.close()
})

it('pays from the balance, and its receipt and ledger say the same to the last unit', {
  timeout: 240_000,
}, async () => {
  const content = new TextEncoder().encode('Paid for by what came before. '.repeat(20))
  const fields = { name: 'kept.txt', mimetype: 'text/plain', blockchain: 'Nativecoin' }
  item = await uploadItem(send, fields, content)
  await expect.poll(async () => (await send('POST', `/item/${item}/merge`)).status, SLOW).toBe(200)
  const status = async () => JSON.parse(await (await send('GET', `/item/${item}`)).text()).status
  await expect.poll(status, SLOW).toBe('402 Payment Required')
  await page.goto(`${worker.url}/console/item/${item}`)
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  // The balance pays by a press of its own.
  await page.getByRole('region', { name: 'From your balance' }).getByRole('button').click()
  await expect.poll(status, SLOW).toBe('200 OK')
  await page.goto(`${worker.url}/console/item/${item}`)
  await page.getByText('Verified in this browser at').waitFor(SLOW)

  await page.goto(`${worker.url}/console/item/${item}/receipt`)
  const paid = page.locator('dt:has-text("From the balance") + dd')
  await paid.waitFor()
  const amount = (await paid.textContent()) ?? ''
  expect(amount).toMatch(/^0\.00\d{6}\sNTC$/)
  await page.goto(`${worker.url}/console/money`)
  await moneyRow(page, 'kept.txt').getByText(`−${amount}`).waitFor()
})

it('sends a withdrawal to a wallet after saying what it costs, and saves the ledger', {
  timeout: 240_000,
}, async () => {
  const wallet = connect(worker.chains.devnet, 'Nativecoin')
  const address = String(await wallet('getnewaddress'))
  await page.goto(`${worker.url}/console/money/withdraw`)
  await page.getByLabel('To this address on Nativecoin').fill('bcrt1q0f7zk3u9w2xh5ds8ler6mvc4tynj70pa3g6q2e')
  await page.getByLabel('Amount').fill('0.25')
  await page.getByText('This is an address of Bitcoin. Paste one of Nativecoin.').waitFor()
  await page.getByLabel('To this address on Nativecoin').fill(address)
  await page.getByText('They get 0.25000000 NTC.').waitFor()
  await page.getByRole('button', { name: 'Withdraw 0.25000000 NTC' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw 0.25000000 NTC' }).click()
  await page.getByRole('heading', { level: 1, name: 'Money' }).waitFor()
  const sent = moneyRow(page, address).filter({ hasText: /Waiting|Sent|Done/ })
  await sent.waitFor()
  await expect.poll(() => wallet('getreceivedbyaddress', address), SLOW).toBe(0.25)
  await expect.poll(() => sent.getByText('Done').count(), SLOW).toBe(1)
  await moneyRow(page, 'Withdrawn').getByText('−0.25000000 NTC').waitFor()

  const saved = await saveFile(page, () => page.getByRole('button', { name: 'CSV' }).click())
  expect(saved.name).toBe('ledger.csv')
  const [head = '', ...lines] = saved.text.trim().split(/\r?\n/)
  expect(head.split(',')).toEqual(expect.arrayContaining(['chain', 'kind', 'change', 'balance']))
  expect(lines.some((line) => /withdrawal/.test(line) && /-0\.25/.test(line))).toBe(true)
  expect(lines.some((line) => /deposit/.test(line) && /\b1\b/.test(line))).toBe(true)
})

it('axe finds nothing in any view, and none is wider than 320 px or has small targets', {
  timeout: 240_000,
}, async () => {
  const site = JSON.parse(await (await send('POST', '/site', JSON.stringify({ name: 'The almanac' }))).text()).id
  const payment = JSON.parse(await (await send('GET', '/payment')).text()).payments[0]?.address
  expect(typeof payment).toBe('string')
  const found: Record<string, unknown[]> = {}
  for (const [path, title] of [
    ['store', 'Store'],
    ['library', 'Library'],
    [`item/${item}`, 'kept.txt'],
    [`item/${item}/receipt`, 'Receipt'],
    ['sites', 'Sites'],
    [`sites/${site}`, 'The almanac'],
    ['money', 'Money'],
    ['money/withdraw', 'Withdraw'],
    ['account', 'Account'],
    ['operate/health', 'Health'],
    ['operate/failed-records', 'Failed records'],
    ['operate/reports', 'Reports'],
    ['operate/denylist', 'Denylist'],
    ['operate/users', 'Users'],
    ['operate/reconciliation', 'Reconciliation'],
    ['operate/audit', 'Audit log'],
  ] as const) {
    await page.goto(`${worker.url}/console/${path}`)
    found[path] = await faults(page, title)
  }
  expect(found).toEqual(none(found))
})

it('axe finds nothing in what is seen without an account, and none of it is wider than 320 px', {
  timeout: 240_000,
}, async () => {
  const stranger = await browser.newContext(context)
  const door = await stranger.newPage()
  const found: Record<string, unknown[]> = {}
  for (const [path, title] of [
    ['', 'Sign in'],
    ['/sign-up', 'Make an account'],
    ['/reset', 'Choose a new password'],
  ] as const) {
    await door.goto(`${worker.url}/console${path}`)
    found[path] = await faults(door, title)
  }
  await door.goto(`${worker.url}/console/sign-up`)
  await door.getByLabel('Given name').fill('Ada')
  await door.getByLabel('Family name').fill('Lovelace')
  await door.getByLabel('Email').fill('grace@example.com')
  await door.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await door.getByRole('button', { name: 'Make the account' }).click()
  found['the mail is waited for'] = await faults(door, 'Look at your mail')
  expect(found).toEqual(none(found))
  await stranger.close()
})

it('axe finds nothing in an order from its files to what is stored, and none of it is wider than 320 px', {
  timeout: 240_000,
}, async () => {
  const found: Record<string, unknown[]> = {}
  // In Firefox a tab has no focus once others were closed, and a pressed key does nothing there.
  const tab = await page.context().newPage()
  await tab.goto(`${worker.url}/console/store`)
  await pickFiles(tab, [{ name: 'tides.txt', buffer: Buffer.from('High at six. '.repeat(40)) }])
  // Of Nativecoin there is a balance, which pays without a request.
  await tab.getByRole('radio', { name: 'Permanent, on Dogecoin' }).check({ force: true })
  found['what it costs'] = await faults(tab, /^Store/)
  await tab.getByRole('button', { name: 'Upload 1 file' }).click()
  found['what is not agreed to yet'] = await faults(tab, /^Store/)
  await upload(tab)
  found['what is paid'] = await faults(tab, 'Pay on Dogecoin')
  const link = await tab.getByRole('link', { name: /Open in a Dogecoin wallet/ }).getAttribute('href')
  const [, address, amount] = /^dogecoin:(\w+)\?amount=([\d.]+)/.exec(link ?? '') ?? []
  connect(worker.chains.devnet, 'Dogecoin')('sendtoaddress', address, amount)
  await tab.getByRole('heading', { level: 1, name: '1 file is in the chain' }).waitFor(SLOW)
  await tab.getByText('Verified in this browser at').waitFor(SLOW)
  found['what is stored'] = await faults(tab, '1 file is in the chain')
  expect(found).toEqual(none(found))
})

/** What is wrong with the view of this title: by axe in a wide and a narrow window, and by its size in the narrow one. */
async function faults(tab: Page, title: string | RegExp): Promise<unknown[]> {
  await tab.setViewportSize({ width: 1280, height: 860 })
  await tab.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  await expect.poll(() => tab.locator('[aria-busy]').count()).toBe(0)
  const wide = await axeViolations(tab)
  await tab.setViewportSize({ width: 320, height: 740 })
  const outcome = [wide, await axeViolations(tab), await smallTargets(tab), await horizontalOverflow(tab)]
  await tab.setViewportSize({ width: 1280, height: 860 })
  return outcome
}

/** The same views with nothing wrong. */
function none(found: Record<string, unknown[]>): Record<string, unknown[]> {
  return Object.fromEntries(Object.keys(found).map((name) => [name, [[], [], [], 0]]))
}
