import { readFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { writeDoginalFrom, writeInscription, writeStamp } from '../../devnet/others/transactions-of-others.ts'
import type { EnvelopeFields } from '../../devnet/others/write-inscription.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { mineOthers } from '../kit/write-others.ts'
import { fill, useLab } from './lab.ts'

const { api, browser, worker, open } = await useLab()
const { devnet } = worker.chains
afterEach(() => void Object.assign(api, { tamper: undefined, cut: false }))

const PICTURE = readFileSync(new URL('../../examples/picture.jpg', import.meta.url))
const inscribe = (fields: EnvelopeFields) => mineOthers(devnet, 'Bitcoin', (coin) => writeInscription(coin, fields))
const idOf = (name: string) => ({ txid: name.slice(0, 64), index: 0 })
const text = (name: string, chain: Blockchain = 'Bitcoin', attributes = '') =>
  `<p class="${chain}" id="text" data-mimetype="text/plain" data-src="${name}" ${attributes}>mine</p>`

/** How filling one element of a page ended, and what it shows. */
async function show(name: string, chain: Blockchain = 'Bitcoin', attributes = '') {
  const page = await open(text(name, chain, attributes))
  const [outcome] = await fill(page, chain)
  return {
    status: outcome?.status,
    code: outcome?.code,
    message: outcome?.message,
    shown: await page.textContent('#text'),
  }
}

const SHOWN = (content: string) => ({ status: 'filled', code: undefined, message: undefined, shown: content })
const REFUSED = (code: string) => ({ status: 'failed', code, message: expect.stringMatching(/\.$/), shown: 'mine' })

describe('an element that names an inscription', () => {
  it('shows its text, as stored or in br or gzip', async () => {
    for (const [encoding, body] of [
      [undefined, 'an inscribed text'],
      ['br', brotliCompressSync('an inscribed text')],
      ['gzip', gzipSync('an inscribed text')],
    ] as const) {
      const name = inscribe({ type: 'text/plain', body, ...(encoding && { encoding }) })
      expect(await show(name)).toEqual(SHOWN('an inscribed text'))
    }
  })

  it('shows a picture, and HTML in the frame', async () => {
    const picture = inscribe({ type: 'image/jpeg', body: PICTURE })
    const html = inscribe({ type: 'text/html', body: '<h1>inscribed</h1><script>document.title = "ran"</script>' })
    const page = await open(
      `<img class="Bitcoin" data-mimetype="image/jpeg" data-src="${picture}">
       <iframe class="Bitcoin" data-mimetype="text/html" data-src="${html}"></iframe>`,
    )
    expect((await fill(page, 'Bitcoin')).map(({ status, message }) => [status, message])).toEqual([
      ['filled', undefined],
      ['filled', undefined],
    ])
    expect(await page.evaluate('document.querySelector("img").naturalWidth')).toBe(1280)
    const frame = page.frames().find((one) => one !== page.mainFrame())
    await expect.poll(() => frame?.textContent('h1')).toBe('inscribed')
  })

  it('shows what its delegate has', async () => {
    const delegate = idOf(inscribe({ type: 'text/plain', body: 'of a delegate' }))
    expect(await show(inscribe({ type: 'text/html', delegate }))).toEqual(SHOWN('of a delegate'))
  })

  it('is shown again without network, of the same bytes verified again', async () => {
    const name = inscribe({ type: 'text/plain', body: 'kept' })
    const context = await browser.newContext()
    await fill(await open(text(name), { context }), 'Bitcoin')
    const page = await open(text(name), { context })
    api.tamper = (path) => (path.startsWith('/v0/') ? 'cut' : undefined)
    await expect.poll(() => fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    expect(await page.textContent('#text')).toBe('kept')
  })

  it('shows nothing when a byte of its witness, or of what it spends, is altered on the way', async () => {
    const name = inscribe({ type: 'text/plain', body: 'to be altered' })
    const flip = (find: string) => (path: string, body: Uint8Array) => {
      if (!path.includes(find)) return undefined
      const at = Buffer.from(body).indexOf('altered')
      return body.map((byte, index) => (index === (at < 0 ? body.length - 20 : at) ? byte ^ 1 : byte))
    }
    api.tamper = flip('witness=1')
    expect(await show(name)).toEqual(REFUSED('not_verified'))
    api.tamper = (path, body) => (path.endsWith('?any=1') ? flip('')(path, body) : undefined)
    expect(await show(name)).toEqual(REFUSED('not_verified'))
    api.tamper = undefined
    expect(await show(name)).toEqual(SHOWN('to be altered'))
  })

  it('asks the next source when one sends a witness that nobody committed to', async () => {
    const name = inscribe({ type: 'text/plain', body: 'to be altered' })
    api.tamper = (path, body) => {
      if (!path.includes('witness=1')) return undefined
      const at = Buffer.from(body).indexOf('altered')
      return body.map((byte, index) => (index === at ? byte ^ 1 : byte))
    }
    expect(await show(name, 'Bitcoin', `data-gateways="${worker.url}"`)).toEqual(SHOWN('to be altered'))
  })

  it('that does not exist, is mixed with others, or is no name, is refused with a reason', async () => {
    const name = inscribe({ type: 'text/plain', body: 'one' })
    const txid = name.slice(0, 64)
    expect(await show(`${txid}i1`)).toEqual(REFUSED('no_such_inscription'))
    expect(await show(`${'ef'.repeat(32)}i0`)).toEqual(REFUSED('no_such_inscription'))
    for (const wrong of [`${name},${name}`, `${txid},${name}`, `${txid}+${txid}`, `olga:${txid}`]) {
      expect(await show(wrong)).toEqual(REFUSED('invalid_element'))
    }
    expect(await show(name, 'Bitcoin', 'data-path="index.html"')).toEqual(REFUSED('invalid_element'))
  })

  it('is held to data-sha256', async () => {
    const name = inscribe({ type: 'text/plain', body: 'hashed' })
    expect(await show(name, 'Bitcoin', `data-sha256="${'00'.repeat(32)}"`)).toEqual(REFUSED('not_verified'))
  })
})

describe('an element that names a doginal', () => {
  const body = new TextEncoder().encode('much doge. such parts. '.repeat(60))

  it('shows it where all transactions are named', async () => {
    const name = mineOthers(devnet, 'Dogecoin', (coin) => writeDoginalFrom(coin, { type: 'text/plain', body }))
    expect(name.split('+').length).toBe(2)
    expect(await show(name, 'Dogecoin')).toEqual(SHOWN(new TextDecoder().decode(body)))
    expect(await show(`${name.slice(0, 64)}i0`, 'Dogecoin')).toEqual(REFUSED('incomplete'))
  })

  it('shows nothing of later ones that a source sends where the helper has no checkpoint', async () => {
    const name = mineOthers(devnet, 'Dogecoin', (coin) => writeDoginalFrom(coin, { type: 'text/plain', body }))
    const txids = name.slice(0, -2).replace('+', ',')
    const both = new Uint8Array(await (await fetch(`${worker.url}/v0/tx/Dogecoin/${txids}?any=1`)).arrayBuffer())
    api.tamper = (path) => (path.includes('parts=1') ? both : undefined)
    expect(await show(`${name.slice(0, 64)}i0`, 'Dogecoin')).toEqual(REFUSED('not_proven'))
  })
})

it('an element that names a stamp shows it', async () => {
  const name = mineOthers(devnet, 'Bitcoin', (coin) => writeStamp(coin, Buffer.from('stamp:R0lGODlh')))
  expect(await show(name)).toEqual(SHOWN('GIF89a'))
})
