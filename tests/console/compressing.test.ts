import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pickFiles } from '../kit/pick-files.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'

const MIB = 2 ** 20

openForEachTest()

const target = (name: string) => page.locator('.target', { hasText: name })
const loaded = () =>
  server.requests.filter((request) => /compress|\.wasm/.test(request)).map((request) => request.replace(/-.*\./, '.'))

it('28.13: says about how much is stored and what that costs, by a worker that is loaded when files are chosen', async () => {
  await page.goto(`${server.origin}/console/store`)
  await page.getByText('Drop files or folders here').waitFor()
  expect(loaded()).toEqual([])
  await pickFiles(page, [{ name: 'almanac.txt', buffer: Buffer.from('high tide, low tide\n'.repeat(10_000)) }])
  const nativecoin = target('Permanent, on Nativecoin')
  await nativecoin.getByText(/^about \d\d\sbytes stored$/).waitFor()
  await nativecoin.getByText('about, 1 transaction', { exact: true }).waitFor()
  expect(loaded()).toEqual(['GET /console/assets/compress.js', 'GET /console/assets/brotli_wasm_bg.wasm'])
  // IPFS stores bytes as they are.
  await target('On IPFS').getByText('at most, no transactions').waitFor()
  expect(await target('On IPFS').getByText('stored').count()).toBe(0)
})

it('counts what compressing would make longer as it is, and forgets what is left out', async () => {
  await page.goto(`${server.origin}/console/store`)
  const noise = randomBytes(100_000)
  await pickFiles(page, [
    { name: 'noise.bin', buffer: noise },
    { name: 'picture.jpg', buffer: readFileSync('examples/picture.jpg') },
  ])
  const nativecoin = target('Permanent, on Nativecoin')
  await nativecoin.getByText(/^about 153\sKB stored$/).waitFor()
  await page.getByRole('button', { name: 'Leave out noise.bin' }).click()
  await nativecoin.getByText(/^about 53\sKB stored$/).waitFor()
})

it('compresses no more than a browser has time for: a film is only told the most that it costs', async () => {
  await page.goto(`${server.origin}/console/store`)
  await pickFiles(page, [
    { name: 'film.mp4', buffer: Buffer.alloc(4 * MIB + 1, 1) },
    { name: 'letter.txt', buffer: Buffer.alloc(200, 1) },
  ])
  const nativecoin = target('Permanent, on Nativecoin')
  await nativecoin.getByText(/^at most/).waitFor()
  expect(loaded()).toEqual([])
  await page.getByRole('button', { name: 'Leave out film.mp4' }).first().click()
  await nativecoin.getByText(/^about \d+\sbytes stored$/).waitFor()
})

it('stops what is compressed when the choice changes', async () => {
  await page.goto(`${server.origin}/console/store`)
  const text = Buffer.from(Array.from({ length: 200_000 }, (_, n) => `${n * n} fathoms\n`).join('')).subarray(
    0,
    3 * MIB,
  )
  const running = page.waitForEvent('worker')
  await pickFiles(page, [
    { name: 'soundings.txt', buffer: text },
    { name: 'letter.txt', buffer: Buffer.alloc(200, 1) },
  ])
  const worker = await running
  const ended = new Promise<void>((resolve) => worker.once('close', () => resolve()))
  await page.getByRole('button', { name: 'Leave out soundings.txt' }).first().click()
  await ended
  await target('Permanent, on Nativecoin')
    .getByText(/^about \d+\sbytes stored$/)
    .waitFor()
})

it.each([
  ['the encoder does not come', (): void => server.refuse('GET', /brotli_wasm/, { status: 404 })],
  ['the worker does not come', (): void => server.refuse('GET', /compress-worker/, { status: 503 })],
])('shows the most that it costs where %s, and goes on', async (_, prevent) => {
  prevent()
  await page.goto(`${server.origin}/console/store`)
  await pickFiles(page, [{ name: 'letter.txt', buffer: Buffer.alloc(200, 1) }])
  const nativecoin = target('Permanent, on Nativecoin')
  await nativecoin.getByText('at most, 1 transaction').waitFor()
  await expect.poll(loaded).not.toEqual([])
  await page.getByText(/^1 file, 200\sbytes/).waitFor()
  expect(
    await page
      .getByText('stored', { exact: false })
      .filter({ hasText: /^about/ })
      .count(),
  ).toBe(0)
})
