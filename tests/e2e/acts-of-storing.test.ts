import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it, vi } from 'vitest'
import { connect } from '../kit/call-devnet.ts'
import { dropFiles } from '../kit/drop-files.ts'
import { POLLING } from '../kit/polling.ts'
import { PASSWORD } from '../kit/sign-up.ts'
import { tempFile } from '../kit/temp-folder.ts'
import { browser, EMAIL, openService, send, worker } from './open-service.ts'

/** Milliseconds that a person needs to read a word of a dialog. */
const WORD_MS = 200
const MOST_ACTS = 8
const MOST_MS = 60_000

openService({ settings: () => ({}), blockMs: 2000, account: 'user', opens: 'browser' })
beforeAll(async () => {
  const ask = async (path: string) => await (await send('GET', `/${path}`)).json()
  const { address } = await ask('payment/Nativecoin')
  connect(worker.chains.devnet, 'Nativecoin')('sendtoaddress', address, '1')
  await vi.waitFor(async () => expect((await ask('user')).balances.Nativecoin).toBe(1), POLLING)
})

/** Waits as long as a person reads the open dialog. */
async function readDialog(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Nothing is paid until you press Pay.', { exact: false }).waitFor()
  const words = ((await dialog.textContent()) ?? '').split(/\s+/).length
  await page.waitForTimeout(words * WORD_MS)
}

it('28: with a balance, a file of 100 KB is stored and its link copied in at most 8 acts and 60 seconds', async () => {
  const content = randomBytes(100_000)
  const file = await tempFile('tides.bin', content)
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  await page.goto(`${worker.url}/console`)
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor()

  let acts = 0
  const act = async (run: () => Promise<unknown>) => {
    acts++
    await run()
  }
  const began = performance.now()
  await act(() => dropFiles(page, page.getByRole('region', { name: 'Drop files or folders here' }), [file]))
  await page.locator('.target.on .parts').waitFor()
  await act(() => page.getByRole('button', { name: 'Upload 1 file' }).click())
  await readDialog(page)
  await act(() => page.getByRole('dialog').getByRole('checkbox').check())
  await act(() => page.getByRole('dialog').getByRole('button', { name: 'Upload 1 file' }).click())
  await act(() => page.getByRole('button', { name: /^Pay 0\.\d{8}\sNTC from the balance$/ }).click())
  await page.getByRole('heading', { level: 1, name: '1 file is in the chain' }).waitFor()
  await act(() => page.getByRole('button', { name: 'Copy: Link' }).click())
  await page.getByRole('button', { name: 'Copied: Link' }).waitFor()
  const taken = performance.now() - began

  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(Buffer.from(await (await fetch(link)).arrayBuffer()).equals(content)).toBe(true)
  expect({ acts: acts <= MOST_ACTS, inTime: taken < MOST_MS }).toEqual({ acts: true, inTime: true })
})
