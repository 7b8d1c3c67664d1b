import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { pickFiles } from '../kit/pick-files.ts'
import { tempFile } from '../kit/temp-folder.ts'
import { upload } from '../kit/use-console.ts'
import { context, openForEachTest, page, server } from './open-for-each-test.ts'
import { store } from './server/fake-state.ts'

const MIB = 2 ** 20
const LETTER = { name: 'letter.txt', buffer: Buffer.alloc(200, 'x') }
const BUSY = { status: 503, code: 'busy', message: 'A moment.', retryAfter: 600 }

openForEachTest()

let other: Page | undefined
afterEach(() => other?.context().close())

/** The console on another machine, without the stored state of this one. */
async function otherMachine(path: string): Promise<Page> {
  const browser = context.browser()
  if (!browser) throw new Error('there is no browser')
  other = await (await browser.newContext()).newPage()
  await other.goto(`${server.origin}/console/${path}`)
  return other
}

async function storeFile(file: { name: string; buffer: Buffer }): Promise<void> {
  await page.goto(`${server.origin}/console/store`)
  await pickFiles(page, [file])
  await upload(page)
}

it('28.4: "Stop and remove" ends an order, here and at the service', async () => {
  server.weather.refuse = BUSY
  await storeFile({ name: 'film.mp4', buffer: Buffer.alloc(2 * MIB) })
  await page.getByText('The service is busy.').waitFor()
  const address = page.url()
  await page.getByRole('button', { name: 'Stop and remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove 1 file' }).click()
  await page.getByRole('heading', { level: 1, name: 'Store', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  expect(server.state.items.size).toBe(0)
  expect(await page.getByText('film.mp4').count()).toBe(0)
  await page.goto(address)
  await page.getByText('There is no such order any more.', { exact: false }).waitFor()
})

it('28.4: orders and the names of their files come from the service, with their true states, on every machine', async () => {
  await storeFile(LETTER)
  await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  const there = await otherMachine('store')
  const row = there.getByRole('listitem').filter({ hasText: 'letter.txt' })
  await row.getByText('Waiting for your payment').waitFor()
  await row.getByRole('link').click()
  await there.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  await there.locator('.qr').waitFor()
  // The same request, though it was requested twice.
  expect(server.state.payments.size).toBe(1)

  const [item] = server.state.items.values()
  if (!item) throw new Error('nothing was uploaded')
  store(server.state, item)
  await there.goto(`${server.origin}/console/store`)
  await row.getByText('Stored').waitFor()
  await row.getByRole('link').click()
  await there.getByRole('heading', { level: 1, name: '1 file is in the chain' }).waitFor()
  await there.getByRole('heading', { name: 'letter.txt' }).waitFor()
})

it('28.6: an upload that was cut waits for its file, says what is held, and tells a wrong one apart', async () => {
  const film = Buffer.alloc(12 * MIB, 'x')
  Object.assign(server.weather, { refuse: BUSY, refuseFrom: 8 })
  await storeFile({ name: 'film.mp4', buffer: film })
  await page.getByText('The service is busy.').waitFor()
  await page.close()

  const there = await otherMachine('store')
  const waiting = there.getByText('Waiting for your file: we hold 8.4 of 12.6\u00a0MB', { exact: false })
  await waiting.waitFor()
  await there.getByRole('link', { name: 'film.mp4' }).click()
  await there.getByRole('heading', { level: 1, name: 'Waiting for your file' }).waitFor()
  await waiting.waitFor()
  server.weather.refuse = undefined
  const input = there.locator('input[type=file]:not([webkitdirectory])')
  await input.setInputFiles(await tempFile('holiday.mp4', Buffer.alloc(5)))
  await there.getByText('holiday.mp4 is not what was begun. Choose film.mp4.').waitFor()
  await input.setInputFiles(await tempFile('film.mp4', film))
  await there.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  const [item] = server.state.items.values()
  expect(item?.bytes.equals(film)).toBe(true)
})

it('28.6: what is chosen and not uploaded outlives a session that ended, and the email is filled in', async () => {
  await page.goto(`${server.origin}/console/store`)
  await pickFiles(page, [LETTER])
  await page.getByRole('radio', { name: 'On IPFS' }).check({ force: true })
  server.state.signedIn = false
  server.refuse('GET', /^\/v0\/user$/, { status: 401, code: 'invalid_token', message: 'The access token has ended.' })
  await page.getByRole('link', { name: 'Money' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  server.allowAll()
  expect(await page.getByLabel('Email').inputValue()).toBe('ann@example.com')
  await page.getByLabel('Password', { exact: true }).fill('Correct1')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Money' }).waitFor()
  await page.getByRole('link', { name: 'Store' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Store 1 file' }).waitFor()
  expect(await page.getByRole('radio', { name: 'On IPFS' }).isChecked()).toBe(true)
})
