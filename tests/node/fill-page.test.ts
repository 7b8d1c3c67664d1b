import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from '../kit/launch-browser.ts'
import { type PageServer, startPageServer } from '../kit/page-server.ts'
import { startWorkerOnDaemon, type WorkerOnDaemon } from './worker-on-daemon.ts'

let running: WorkerOnDaemon
let browser: Browser
let pages: PageServer

beforeAll(async () => {
  running = await startWorkerOnDaemon()
  browser = await launchBrowser()
  pages = await startPageServer()
})

afterAll(async () => {
  await browser?.close()
  await pages?.close()
  await running?.close()
})

it('a page is filled in a browser with what the wallet of a real daemon wrote', async () => {
  const letter = `Dear reader,\n${Array.from({ length: 40 }, (_, i) => `line ${i} of ${(i * 7919) ** 3}`).join('\n')}`
  const store = async (blockchain: 'Nativecoin' | 'Dogecoin' | 'Bitcoin', content: Uint8Array | string) =>
    (await running.write(blockchain, brotliCompressSync(content))).join()
  const picture = await store('Nativecoin', readFileSync(new URL('../../examples/picture.jpg', import.meta.url)))
  const text = await store('Bitcoin', letter)
  const frame = await store('Dogecoin', '<!doctype html><h1 id="title">From a chain</h1>')
  await running.bench.mine()
  const page = await browser.newPage()
  await page.goto(
    pages.serve({
      body: `<!doctype html><meta charset="utf-8"><title>page</title>
        <img id="picture" class="Nativecoin" type="blob" data-mimetype="image/jpeg" data-src="${picture}">
        <pre id="text" class="Bitcoin" type="chunk" data-mimetype="text/plain" data-src="${text}">loading</pre>
        <iframe id="frame" class="Dogecoin" type="blob" data-mimetype="text/html" data-src="${frame}"></iframe>
        <script>addEventListener('dbReady', () => ['Nativecoin', 'Bitcoin', 'Dogecoin'].forEach((name) => hook(name)))</script>
        <script src="${new URL('/hook.js', running.base)}" data-frames="none" async></script>`,
    }),
  )
  for (const id of ['picture', 'text', 'frame']) await page.locator(`#${id}[data-state=ready]`).waitFor()
  expect(await page.locator('#text').textContent()).toBe(letter)
  expect(await page.locator('#picture').evaluate((image) => 'naturalWidth' in image && image.naturalWidth)).toBe(1280)
  await page.frameLocator('#frame').locator('#title').waitFor()
})
