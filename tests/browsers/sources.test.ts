import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PageServer, startPageServer } from '../kit/page-server.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { storeFiles } from '../kit/store-files.ts'
import { startTamperingProxy, type TamperingProxy } from '../kit/tampering-proxy.ts'
import { storeContent } from '../kit/write-content.ts'
import { ENGINES } from './engines.ts'

let worker: RunningWorker
let pages: PageServer
/** The API host, and another host of the same service. */
let api: TamperingProxy
let second: TamperingProxy

beforeAll(async () => {
  pages = await startPageServer()
  worker = await startWorker()
  api = await startTamperingProxy(worker.url)
  second = await startTamperingProxy(worker.url)
})
afterAll(async () => {
  await api.close()
  await second.close()
  await worker.close()
  await pages.close()
})

/** The failures of the API host after the page has loaded, before any request but the one for hook.js. */
const TROUBLES: [string, () => void][] = [
  ['dies', () => (api.cut = true)],
  ['answers 500', () => (api.tamper = () => 500)],
  ['hangs', () => (api.tamper = () => 'hang')],
  ['lies', () => (api.tamper = (_, body) => body.map((byte, at) => (at === body.length >> 1 ? byte ^ 1 : byte)))],
]

/** A page that is empty until `start()`, which adds elements and writes what became of each. */
async function serve(name: string): Promise<string> {
  const txids = storeContent(worker, 'Bitcoin', `a chain: ${name}`)
  const { cids } = await storeFiles(worker, { 'a.txt': `IPFS: ${name}` })
  const elements = `<p class="Bitcoin" data-mimetype="text/plain" data-src="${txids}"></p>
    <p class="IPFS" data-mimetype="text/plain" data-src="${cids['a.txt']}"></p>`
  const script = `async function start() {
    document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(elements)})
    const results = (await Promise.all([hook('Bitcoin'), hook('IPFS')])).flat()
    document.querySelector('output').textContent = results.map(({ status, error }) => error ? error.message : status).join()
  }`
  return pages.serve({
    body: `<!doctype html><script src="${api.url}/hook.js" data-gateways="${second.url}"></script>
      <script>${script}</script><body><output></output>`,
  })
}

describe.each(ENGINES)('a page with data-gateways in %s', (browser, open) => {
  it('is filled from the second source, from a chain and from IPFS, whatever becomes of the API host', async () => {
    const { page, close } = await open()
    onTestFinished(close)
    for (const [trouble, make] of TROUBLES) {
      Object.assign(api, { cut: false, tamper: undefined })
      const name = `${browser}, which ${trouble}`
      await page.goto(await serve(name))
      expect(await page.read('typeof window.hook')).toBe('function')
      make()
      await page.read('void start()')
      await page.see('output', 'ed')
      expect([trouble, await page.read('document.querySelector("output").textContent')]).toEqual([
        trouble,
        'filled,filled',
      ])
      expect(await page.read('[...document.querySelectorAll("p")].map((p) => p.textContent).join("; ")')).toBe(
        `a chain: ${name}; IPFS: ${name}`,
      )
    }
  })
})
