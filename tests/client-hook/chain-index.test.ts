import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { carOf } from '../kit/car-of.ts'
import { storeIndexed } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()

const text = (...txids: string[]) => `<p class="Nativecoin" data-mimetype="text/plain" data-src="${txids}"></p>`
const write = (...rest: Parameters<typeof storeIndexed> extends [unknown, unknown, ...infer Rest] ? Rest : never) =>
  storeIndexed(lab.worker, 'Nativecoin', ...rest)

/** Fills the one element of a page; how that ended, and what the element shows. */
async function show(body: string) {
  const page = await lab.open(body)
  const [outcome] = await fill(page, 'Nativecoin')
  return { page, outcome, shown: await page.evaluate(() => document.querySelector('.Nativecoin')?.textContent) }
}

/** How bytes that no text is are shown as text. */
const asText = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('the txid of an index', () => {
  it.each(['br', 'identity'] as const)('shows the content that it names, kept as %s', async (encoding) => {
    const { txid } = write(Buffer.from(`content in parts, ${encoding}`), { encoding })
    for (const type of ['blob', 'chunk']) {
      const { outcome, shown } = await show(text(txid).replace('<p', `<p data-type="${type}"`))
      expect(outcome).toMatchObject({ status: 'filled' })
      expect(shown).toBe(`content in parts, ${encoding}`)
    }
  })

  it('is shown as the element says, whatever media type the index has', async () => {
    const { txid } = write(Buffer.from('<b id="bold">not bold</b>'), { type: 'text/html' })
    const { page, shown } = await show(text(txid))
    expect([shown, await page.locator('#bold, iframe').count()]).toEqual(['<b id="bold">not bold</b>', 0])
    const script = write(Buffer.from('document.title = "ran"'), { type: 'text/javascript' })
    const refused = await show(text(script.txid).replace('<p', '<img').replace('text/plain', 'image/png'))
    expect([refused.outcome?.status, await refused.page.title()]).toEqual(['failed', 'page'])
  })

  it('opens a website at the page that data-path names', async () => {
    const car = await carOf({ 'index.html': 'home', 'guide/index.html': '<!doctype html><p id="guide">read</p>' })
    const { txid } = write(car, { type: 'application/vnd.ipld.car' })
    const page = await lab.open(
      `<iframe class="Nativecoin" data-mimetype="text/html" data-src="${txid}" data-path="guide/index.html"></iframe>`,
    )
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    await page.frameLocator('iframe').frameLocator('iframe').locator('#guide').waitFor()
  })

  it('is the bytes that it is where the parts hold other content than it says', async () => {
    const content = Buffer.from('some content')
    const other = [{ sha256: 'ab'.repeat(32) }, { size: content.length + 1 }]
    const brotli = brotliCompressSync('never decoded')
    const wrong = [
      ...other.map((says) => write(content, says)),
      // What is said to be Brotli is not, and what is said to be none is hashed as it lies there.
      write(content, { parts: write(content, { encoding: 'identity' }).parts }),
      write(content, { encoding: 'identity', parts: write(brotli, { encoding: 'identity' }).parts }),
    ]
    for (const { txid, index } of wrong) expect((await show(text(txid))).shown).toBe(asText(index))
  })

  it('is the bytes that it is in a list, and so is one that is a part', async () => {
    const inner = write(Buffer.from('inner'))
    const [part = ''] = write(Buffer.from('more'), { encoding: 'identity' }, 4).parts
    expect((await show(text(inner.txid, part))).shown).toBe(`${asText(inner.index)}more`)
    const outer = write(Buffer.from(inner.index), { encoding: 'identity', parts: [inner.txid] })
    expect((await show(text(outer.txid))).shown).toBe(asText(inner.index))
  })

  it('fails where a part is not there, is altered on the way, or more is named than is taken', async () => {
    const { txid } = write(Buffer.from('nothing'), { parts: ['ab'.repeat(32)] })
    expect((await show(text(txid))).outcome).toMatchObject({ status: 'failed', code: 'not_found' })
    const large = write(Buffer.from('large'), { size: 2 ** 25 + 1 })
    expect((await show(text(large.txid))).outcome).toMatchObject({ status: 'failed', code: 'too_large' })
    const altered = write(Buffer.from('not altered'))
    onTestFinished(() => {
      lab.api.tamper = undefined
    })
    lab.api.tamper = (path, body) =>
      path.includes(altered.parts[1] ?? '') ? body.map((byte, at) => (at === 60 ? byte ^ 1 : byte)) : undefined
    expect((await show(text(altered.txid))).outcome).toMatchObject({ status: 'failed', code: 'not_verified' })
  })

  it('loads its part for nothing else', async () => {
    const { txid, parts } = write(Buffer.from('what else'))
    const loaded = async (body: string) => {
      lab.api.seen.length = 0
      await show(body)
      return lab.api.seen.some(({ path }) => path.startsWith('/hook/index.'))
    }
    expect(await loaded(text(...parts))).toBe(false)
    expect(await loaded(text(txid, ...parts))).toBe(false)
    expect(await loaded(text(txid))).toBe(true)
  })
})
