import { createHash } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { readNamed } from '../../client/index.ts'
import type { Devnet } from '../../devnet/create-devnet.ts'
import { writeDoginalFrom, writeInscription } from '../../devnet/others/transactions-of-others.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { encodeContentIndex } from '../../protocol/content-index.ts'
import { launchBrowser } from '../kit/launch-browser.ts'
import { startPageServer } from '../kit/page-server.ts'
import { startPinnedWorker } from '../kit/start-pinned-worker.ts'
import { storeFile } from '../kit/store-files.ts'
import { startTamperingProxy } from '../kit/tampering-proxy.ts'
import { writeToNode } from '../kit/write-content.ts'
import { mineOthers } from '../kit/write-others.ts'
import { fill } from './lab.ts'

const write = (devnet: Devnet, blockchain: Blockchain, text: string, step?: number) =>
  writeToNode(devnet.node(blockchain), brotliCompressSync(text), step)

/** A doginal of three transactions. */
const doginalOf = (body: string) => ({
  type: 'text/plain',
  body: new TextEncoder().encode(body),
  partBytes: 5,
  partsEach: 1,
})

const [browser, pages] = await Promise.all([launchBrowser(), startPageServer()])
const worker = await startPinnedWorker(async ({ devnet }) => {
  const parts = write(devnet, 'Nativecoin', 'an indexed text', 10)
  const sha256 = createHash('sha256').update('an indexed text').digest('hex')
  const index = encodeContentIndex({ type: 'text/plain', size: 15, sha256, encoding: 'br', parts })
  return {
    Bitcoin: write(devnet, 'Bitcoin', 'an old text', 10),
    Dogecoin: write(devnet, 'Dogecoin', 'much old text'),
    parts,
    indexed: writeToNode(devnet.node('Nativecoin'), index),
    doginal: mineOthers(devnet, 'Dogecoin', (coin) => writeDoginalFrom(coin, doginalOf('much old parts'))),
    named: mineOthers(devnet, 'Bitcoin', (coin) => writeInscription(coin, { type: 'text/plain', body: 'inscribed' })),
  }
})
const api = await startTamperingProxy(worker.url)
const buried = worker.stored
const { devnet } = worker.chains
const recent = {
  doginal: mineOthers(devnet, 'Dogecoin', (coin) => writeDoginalFrom(coin, doginalOf('much new parts'))),
  Bitcoin: write(devnet, 'Bitcoin', 'a new text'),
  Dogecoin: write(devnet, 'Dogecoin', 'much new text'),
}
for (const blockchain of ['Bitcoin', 'Dogecoin'] as const) {
  for (let after = 0; after < 5; after++) devnet.node(blockchain).mine(Uint8Array.of(0x51))
}

afterEach(() => void Object.assign(api, { tamper: undefined, cut: false }))
afterAll(async () => {
  await browser.close()
  await api.close()
  await pages.close()
  await worker.close()
})

const text = (blockchain: Blockchain, txids: readonly string[], attributes = '') =>
  `<p class="${blockchain}" id="text" data-mimetype="text/plain" data-src="${txids}" ${attributes}>mine</p>`

/** A page with hook.js that notes each `hook:proof`. */
async function open(body: string, { script = '', page }: { script?: string; page?: Page } = {}): Promise<Page> {
  const url = pages.serve({
    body: `<!doctype html><meta charset="utf-8"><title>page</title>
      <script>window.proofs = []; addEventListener('hook:proof', ({ detail }) => proofs.push(detail))</script>
      <script src="${api.url}/hook.js" ${script}></script><body>${body}`,
  })
  const opened = page ?? (await (await browser.newContext()).newPage())
  await opened.goto(url)
  return opened
}

/** How filling ended, what is shown, and what was told of it. */
async function show(page: Page, blockchain: Blockchain | 'IPFS') {
  const [outcome] = await fill(page, blockchain)
  const shown = await page.locator('#text').textContent()
  const proofs: unknown = await page.evaluate('proofs')
  return { outcome, shown, proofs }
}

const proofRequests = () => api.seen.filter(({ path }) => path.startsWith('/v0/proof/'))

describe('data-proof', () => {
  it.each([
    ['Bitcoin', 'buried'],
    ['Dogecoin', 'worked'],
  ] as const)('shows on %s what the chain of the checkpoint has, to %s', async (blockchain, asked) => {
    const page = await open(text(blockchain, buried[blockchain], `data-proof="${asked}"`))
    const { outcome, shown, proofs } = await show(page, blockchain)
    expect([outcome?.status, outcome?.message]).toEqual(['filled', undefined])
    expect(shown).toContain('old text')
    expect(proofs).toEqual([expect.objectContaining({ state: 'buried', height: expect.any(Number) })])
  })

  it.each(['Bitcoin', 'Dogecoin'] as const)(
    'shows on %s what has work, to as many headers as there are',
    async (chain) => {
      const page = await open(text(chain, recent[chain], 'data-proof="worked"'))
      const { shown, proofs } = await show(page, chain)
      expect(shown).toContain('new text')
      expect(proofs).toEqual([expect.objectContaining({ state: 'worked', depth: 6 })])
      for (const more of ['worked 7', 'buried']) {
        const deeper = await open(text(chain, recent[chain], `data-proof="${more}"`))
        expect(await show(deeper, chain)).toMatchObject({ outcome: { code: 'not_proven' }, shown: 'mine', proofs: [] })
      }
    },
  )

  it('counts the weakest of all transactions, those that an index names among them', async () => {
    const both = await open(text('Bitcoin', [...buried.Bitcoin, ...recent.Bitcoin], 'data-proof="buried"'))
    expect(await show(both, 'Bitcoin')).toMatchObject({ outcome: { code: 'not_proven' } })
    api.seen.length = 0
    const page = await open(text('Nativecoin', buried.indexed, 'data-proof="buried"'))
    expect((await show(page, 'Nativecoin')).shown).toBe('an indexed text')
    const asked = proofRequests().flatMap(({ path }) => /Nativecoin\/([^?]+)/.exec(path)?.[1]?.split(',') ?? [])
    expect(asked.sort()).toEqual([...buried.indexed, ...buried.parts].sort())
  })

  it('shows nothing where a part that an index names is not proven', async () => {
    api.tamper = (path) => (path.startsWith('/v0/proof/') && path.includes(buried.parts[1] ?? '') ? 404 : undefined)
    const page = await open(text('Nativecoin', buried.indexed, 'data-proof="buried"'))
    expect(await show(page, 'Nativecoin')).toMatchObject({
      outcome: { code: 'not_proven' },
      shown: 'mine',
      proofs: [],
    })
  })

  it('holds for what others wrote, too', async () => {
    const page = await open(text('Bitcoin', [buried.named], 'data-proof="buried"'))
    expect(await show(page, 'Bitcoin')).toMatchObject({ shown: 'inscribed', proofs: [{ state: 'buried' }] })
    const late = mineOthers(devnet, 'Bitcoin', (coin) => writeInscription(coin, { type: 'text/plain', body: 'late' }))
    const other = await open(text('Bitcoin', [late], 'data-proof="buried"'))
    expect(await show(other, 'Bitcoin')).toMatchObject({ outcome: { code: 'not_proven' }, shown: 'mine' })
  })

  it('is told of after showing with note, whatever is proven', async () => {
    const page = await open(text('Bitcoin', buried.Bitcoin, 'data-proof="note"'))
    expect((await show(page, 'Bitcoin')).shown).toContain('old text')
    await expect.poll(() => page.evaluate('proofs')).toEqual([expect.objectContaining({ state: 'buried' })])
    api.tamper = (path) => (path.startsWith('/v0/proof/') ? 404 : undefined)
    const other = await open(text('Bitcoin', recent.Bitcoin, 'data-proof="note"'))
    expect((await show(other, 'Bitcoin')).shown).toContain('new text')
    await expect
      .poll(() => other.evaluate('proofs'))
      .toEqual([expect.objectContaining({ state: 'unproven', depth: 0 })])
  })

  it.each(['', 'sure', 'worked 0', 'worked 13', 'Buried'])('is an invalid element with %j', async (asked) => {
    const page = await open(text('Bitcoin', buried.Bitcoin, `data-proof="${asked}"`))
    expect(await show(page, 'Bitcoin')).toMatchObject({ outcome: { code: 'invalid_element' }, shown: 'mine' })
  })

  it('is an invalid element of IPFS', async () => {
    const cid = await storeFile(worker.miniflare, new TextEncoder().encode('a file'))
    const html = `<p class="IPFS" id="text" data-mimetype="text/plain" data-src="${cid}" data-proof="buried">mine</p>`
    expect(await show(await open(html), 'IPFS')).toMatchObject({ outcome: { code: 'invalid_element' }, shown: 'mine' })
  })

  it('holds for all elements without their own where the script tag has it', async () => {
    const page = await open(text('Bitcoin', recent.Bitcoin), { script: 'data-proof="buried"' })
    expect(await show(page, 'Bitcoin')).toMatchObject({ outcome: { code: 'not_proven' }, shown: 'mine' })
    const own = await open(text('Bitcoin', recent.Bitcoin, 'data-proof="worked"'), { script: 'data-proof="buried"' })
    expect((await show(own, 'Bitcoin')).shown).toContain('new text')
  })

  it('is checked for an element that is added later', async () => {
    const page = await open('')
    await page.evaluate(
      (html) => document.body.insertAdjacentHTML('beforeend', html),
      text('Bitcoin', recent.Bitcoin, 'data-proof="buried"'),
    )
    expect(await show(page, 'Bitcoin')).toMatchObject({ outcome: { code: 'not_proven' }, shown: 'mine' })
  })

  it('does not believe a proof with one byte altered, and shows nothing', async () => {
    api.tamper = (path, body) => {
      if (!path.startsWith('/v0/proof/')) return undefined
      return new TextEncoder().encode(new TextDecoder().decode(body).replace(/"branch":\["(..)/, '"branch":["00'))
    }
    const page = await open(text('Bitcoin', buried.Bitcoin, 'data-proof="buried"'))
    expect(await show(page, 'Bitcoin')).toMatchObject({ outcome: { code: 'not_proven' }, shown: 'mine', proofs: [] })
  })

  it('fetches the proof beside the content', async () => {
    api.seen.length = 0
    api.tamper = (path) => (path.startsWith('/v0/tx/') ? 'hang' : undefined)
    const page = await open(text('Bitcoin', buried.Bitcoin, 'data-proof="buried"'))
    void fill(page, 'Bitcoin').catch(() => {})
    await expect.poll(() => proofRequests().length).toBe(1)
    await page.close()
  })

  it('proves without network what was seen once', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const body = text('Bitcoin', buried.Bitcoin, 'data-proof="buried"')
    await open(body, { page })
    await show(page, 'Bitcoin')
    api.tamper = (path) => (path.startsWith('/v0/') ? 'cut' : undefined)
    await open(body, { page })
    const { shown, proofs } = await show(page, 'Bitcoin')
    expect(shown).toContain('old text')
    expect(proofs).toEqual([expect.objectContaining({ state: 'buried' })])
  })

  it('asks again for what has work an hour later, and tells where no block has it any more', async () => {
    const page = await (await browser.newContext()).newPage()
    const body = text('Bitcoin', recent.Bitcoin, 'data-proof="worked 2"')
    await open(body, { page })
    await show(page, 'Bitcoin')
    api.seen.length = 0
    await open(body, { page })
    await show(page, 'Bitcoin')
    expect(proofRequests()).toEqual([])
    api.tamper = (path) => (path.startsWith('/v0/proof/') ? 404 : undefined)
    await page.addInitScript('const { now } = Date; Date.now = () => now() + 3_700_000')
    await open(body, { page })
    expect((await show(page, 'Bitcoin')).shown).toContain('new text')
    await expect
      .poll(() => page.evaluate('proofs'))
      .toEqual([expect.objectContaining({ state: 'worked' }), expect.objectContaining({ state: 'unproven' })])
    expect(await page.locator('#text').textContent()).toContain('new text')
    await open(body, { page })
    expect((await show(page, 'Bitcoin')).outcome).toMatchObject({ code: 'not_proven' })
  })

  it.each(['worked 3', 'note'])('asks again for %s once an hour, of what several elements show', async (asked) => {
    const page = await (await browser.newContext()).newPage()
    const body = text('Bitcoin', recent.Bitcoin, `data-proof="${asked}"`)
    const load = async ({ ahead = 0, tamper }: { ahead?: number; tamper?: number } = {}) => {
      api.tamper = (path) => (path.startsWith('/v0/proof/') ? tamper : undefined)
      await page.addInitScript(`(() => { const { now } = Date; Date.now = () => now() + ${ahead} })()`)
      api.seen.length = 0
      await open(body + body.replace('id="text"', ''), { page })
      await show(page, 'Bitcoin')
    }
    const told = (least: number) => expect.poll(() => page.evaluate('proofs.length')).toBeGreaterThanOrEqual(least)
    await load()
    await told(2)
    expect(proofRequests()).toHaveLength(1)
    await load({ ahead: 3_700_000 })
    // Of both what is kept, and what is new, unless the second one finds that already.
    await told(3)
    expect(proofRequests()).toHaveLength(1)
    // A host that does not answer is asked no more often.
    await load({ ahead: 3_700_000, tamper: 500 })
    await expect.poll(() => proofRequests().length).toBeGreaterThan(0)
    await load({ tamper: 500 })
    await told(2)
    expect(proofRequests()).toEqual([])
  })

  it('tells without network of as many headers as there were', async () => {
    const page = await (await browser.newContext()).newPage()
    const newest = text('Bitcoin', write(devnet, 'Bitcoin', 'a text of one block'), 'data-proof="note"')
    for (const tamper of [undefined, 'cut'] as const) {
      api.tamper = (path) => (path.startsWith('/v0/') ? tamper : undefined)
      await open(newest, { page })
      await show(page, 'Bitcoin')
      await expect.poll(() => page.evaluate('proofs')).toEqual([expect.objectContaining({ state: 'worked', depth: 1 })])
    }
  })

  it('asks for nothing and tells of nothing on a page without it', async () => {
    api.seen.length = 0
    const page = await open(text('Bitcoin', buried.Bitcoin))
    const { shown, proofs } = await show(page, 'Bitcoin')
    expect([shown, proofs]).toEqual(['an old text', []])
    const paths = api.seen.map(({ path }) => path.replace(/\.[\w-]{16}\./, '.').replace(/[0-9a-f]{64}/g, 'txid'))
    // Chromium has no Brotli of its own here.
    expect(paths).toEqual(['/hook.js', '/hook/show.js', '/hook/brotli.wasm', '/v0/tx/Bitcoin/txid,txid'])
  })
})

describe('a doginal whose first transaction is named', () => {
  const firstOf = (name: string) => `${name.slice(0, 64)}i0`
  const parts = (path: string) => path.includes('parts=1')
  /** The content of the last transaction, with another letter. */
  const forge = (body: Uint8Array<ArrayBuffer>) => {
    const at = Buffer.from(body).lastIndexOf('arts')
    return body.map((byte, index) => (index === at ? 0x74 : byte))
  }

  it('shows what the chain of the checkpoint has, and what has work', async () => {
    for (const [name, shown] of [
      [buried.doginal, 'much old parts'],
      [recent.doginal, 'much new parts'],
    ] as const) {
      const page = await open(text('Dogecoin', [firstOf(name)]))
      expect(await show(page, 'Dogecoin')).toMatchObject({ outcome: { status: 'filled' }, shown })
    }
  })

  it('is incomplete, with what to do, until each part has six headers', async () => {
    const late = mineOthers(devnet, 'Dogecoin', (coin) => writeDoginalFrom(coin, doginalOf('late parts')))
    const page = await open(text('Dogecoin', [firstOf(late)]))
    const message = expect.stringContaining(`hookline find ${firstOf(late)}`)
    expect(await show(page, 'Dogecoin')).toMatchObject({ outcome: { code: 'incomplete', message }, shown: 'mine' })
  })

  it('shows nothing where a source sends parts that no block has, or proofs that prove nothing', async () => {
    const refused = { outcome: { code: 'not_proven', message: expect.stringMatching(/\.$/) }, shown: 'mine' }
    api.tamper = (path, body) => (parts(path) ? forge(body) : undefined)
    expect(await show(await open(text('Dogecoin', [firstOf(buried.doginal)])), 'Dogecoin')).toMatchObject(refused)
    api.tamper = (path, body) => {
      if (!path.startsWith('/v0/proof/')) return undefined
      return new TextEncoder().encode(new TextDecoder().decode(body).replace(/"branch":\["(..)/, '"branch":["00'))
    }
    expect(await show(await open(text('Dogecoin', [firstOf(buried.doginal)])), 'Dogecoin')).toMatchObject(refused)
  })

  it('is shown by the next source where one sends parts that no block has', async () => {
    api.tamper = (path, body) => (parts(path) ? forge(body) : undefined)
    const page = await open(text('Dogecoin', [firstOf(buried.doginal)], `data-gateways="${worker.url}"`))
    expect((await show(page, 'Dogecoin')).shown).toBe('much old parts')
  })

  it('is read by the library with a checkpoint, and is incomplete without', async () => {
    const source = { blockchain: 'Dogecoin', name: firstOf(recent.doginal) } as const
    const { Dogecoin: checkpoint } = worker.checkpoints
    const { bytes, txids } = await readNamed(source, { api: api.url, checkpoint })
    expect(new TextDecoder().decode(bytes)).toBe('much new parts')
    expect(`${txids.join('+')}i0`).toBe(recent.doginal)
    await expect(readNamed(source, { api: api.url })).rejects.toMatchObject({ code: 'incomplete' })
    api.tamper = (path, body) => (parts(path) ? forge(body) : undefined)
    await expect(readNamed(source, { api: api.url, checkpoint })).rejects.toMatchObject({ code: 'not_proven' })
  })
})
