import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pickFiles } from '../kit/pick-files.ts'
import { uploadItem } from '../kit/upload-item.ts'
import { openService, page, send, worker } from './open-service.ts'

/** Three digits are shown: that alone is half a percent. */
const WITHIN = 0.01

openService({ settings: () => ({}), account: 'user', opens: 'console' })

const read = (path: string) => new Uint8Array(readFileSync(path))
const FONT = 'node_modules/playwright-core/lib/vite/traceViewer/codicon.DCmgc-ay.ttf'

/** What the console shows before anything is sent: bytes stored, and the price in base units. */
async function estimateOf(name: string, buffer: Uint8Array): Promise<{ stored: number; price: number }> {
  await page.goto(`${worker.url}/console/store`)
  await pickFiles(page, [{ name, buffer }])
  const target = page.locator('.target', { hasText: 'Permanent, on Nativecoin' })
  const said = (await target.getByText(/^about .* stored$/).textContent()) ?? ''
  await target.getByText(/^about, /).waitFor()
  const [, digits, unit] = /^about ([\d.]+)\s(bytes|KB|MB) stored$/.exec(said) ?? []
  const coins = (await target.locator('.target-price .price').textContent()) ?? ''
  return {
    stored: Number(digits) * { bytes: 1, KB: 1e3, MB: 1e6 }[unit === 'MB' || unit === 'KB' ? unit : 'bytes'],
    price: Number(coins.replace(/[^\d]/g, '')),
  }
}

it.each([
  ['a picture', 'picture.jpg', 'image/jpeg', read('examples/picture.jpg')],
  ['a drawing', 'lighthouse.svg', 'image/svg+xml', read('examples/site/lighthouse.svg')],
  ['a text', 'command.md', 'text/markdown', read('docs/command.md')],
  ['a font', 'codicon.ttf', 'font/ttf', read(FONT)],
  ['WebAssembly', 'decoder.wasm', 'application/wasm', read('node_modules/brotli-dec-wasm/pkg/brotli_dec_wasm_bg.wasm')],
  ['a word', 'word.txt', 'text/plain', new TextEncoder().encode('lighthouse')],
  ['noise', 'noise.bin', 'application/octet-stream', new Uint8Array(randomBytes(70_000))],
])(
  'what the console says of %s before it is sent is what the service stores and asks for, within 1 %',
  {
    timeout: 120_000,
  },
  async (_, name, mimetype, content) => {
    const estimate = await estimateOf(name, content)
    const id = await uploadItem(send, { name, mimetype, blockchain: 'Nativecoin' }, content)
    await expect.poll(async () => (await send('POST', `/item/${id}/merge`)).status).toBe(200)
    const item: { storedSize: number } = JSON.parse(await (await send('GET', `/item/${id}`)).text())
    expect(Math.abs(estimate.stored / item.storedSize - 1)).toBeLessThan(WITHIN)
    const order = JSON.stringify({ blockchain: 'Nativecoin', ids: [id] })
    const { amount }: { amount: number } = JSON.parse(await (await send('POST', '/payment', order)).text())
    expect(Math.abs(estimate.price / (amount * 1e8) - 1)).toBeLessThan(WITHIN)
  },
)
