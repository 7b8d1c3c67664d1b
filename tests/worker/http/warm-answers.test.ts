import { env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { expireDenylist } from '../../../worker/denylist/denylist.ts'
import { insertDenied } from '../../../worker/storage/sites/denied.ts'
import { storeItem } from '../../kit/store-item.ts'
import { store, useScriptedNodes } from '../scripted-node.ts'

const nodes = useScriptedNodes()
const bitcoin = [nodes['bitcoin-a.test'], nodes['bitcoin-b.test']]
const API = 'https://api.example'
const text = () => `<!doctype html><p>${crypto.randomUUID().repeat(20)}</p>`
const page = () => brotliCompressSync(text())

/** Headers without the one that tells the tiers apart. */
function headersOf(response: Response): [string, string][] {
  return [...response.headers].filter(([name]) => name !== 'server-timing').sort()
}

const tier = (response: Response) => /desc=(\w+)/.exec(response.headers.get('Server-Timing') ?? '')?.[1]

interface Asked {
  path: string
  init: RequestInit<IncomingRequestCfProperties>
}

function post(path: string, txids: string[], acceptEncoding = ''): Asked {
  const cf = { clientAcceptEncoding: acceptEncoding } as IncomingRequestCfProperties
  const body = JSON.stringify({ blockchain: 'Bitcoin', txids })
  return { path, init: { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, cf } }
}

function get(path: string, headers: Record<string, string> = {}, method = 'GET', acceptEncoding = ''): Asked {
  const cf = { clientAcceptEncoding: acceptEncoding } as IncomingRequestCfProperties
  return { path, init: { method, headers, cf } }
}

const ask = ({ path, init }: Asked) => exports.default.fetch(new Request(`${API}${path}`, init))

async function deny(txid: string): Promise<void> {
  const entry = { kind: 'txid' as const, digest: txid, value: txid, reason: 'test', deniedBy: 'moderator' }
  await insertDenied(env.DB, entry, Date.now())
  expireDenylist()
}

const item = () => storeItem(env.DB, { blockchain: 'Bitcoin', txids: store(bitcoin, page()) })
const cases: [string, () => Promise<Asked> | Asked][] = [
  ['POST /v0/blob', () => post('/v0/blob', store(bitcoin, page()))],
  ['POST /v0/web, raw', () => post('/v0/web', store(bitcoin, page()))],
  ['POST /v0/web, as Brotli', () => post('/v0/web', store(bitcoin, page()), 'gzip, br')],
  ['POST /v0/tx', () => post('/v0/tx', store(bitcoin, page()))],
  ['GET /v0/web', () => get(`/v0/web/Bitcoin/${store(bitcoin, page())}`)],
  ['HEAD /v0/web', () => get(`/v0/web/Bitcoin/${store(bitcoin, page())}`, {}, 'HEAD')],
  ['GET /v0/chunk', () => get(`/v0/chunk/Bitcoin/${store(bitcoin, page(), 9_000)}`)],
  ['GET /v0/content', async () => get(`/v0/content/${await item()}`)],
  ['GET /v0/content, as Brotli', async () => get(`/v0/content/${await item()}`, {}, 'GET', 'br')],
  ['GET /v0/content, a range', async () => get(`/v0/content/${await item()}`, { Range: 'bytes=5-14' })],
  [
    'GET /v0/content, a range beyond its end',
    async () => get(`/v0/content/${await item()}`, { Range: 'bytes=99999-' }),
  ],
  ['GET /v0/content for who has it', async () => get(`/v0/content/${await item()}`, { 'If-None-Match': '*' })],
  ['HEAD /v0/content', async () => get(`/v0/content/${await item()}`, {}, 'HEAD')],
]

describe('an answer from memory', () => {
  it.each(cases)('is the same as the cold one, with the same headers: %s', async (_, prepare) => {
    const asked = await prepare()
    const cold = await ask(asked)
    const warm = await ask(asked)
    expect(tier(cold)).toBe('miss')
    expect(tier(warm)).toBe('memory')
    expect(warm.status).toBe(cold.status)
    expect(headersOf(warm)).toEqual(headersOf(cold))
    expect(new Uint8Array(await warm.arrayBuffer())).toEqual(new Uint8Array(await cold.arrayBuffer()))
  })

  it('is another one for a client of other encodings', async () => {
    const txids = store(bitcoin, page())
    for (const accept of ['', 'br', '', 'br;q=0', 'br']) {
      const response = await ask(post('/v0/web', txids, accept))
      expect(response.headers.get('Content-Encoding')).toBe(accept === 'br' ? 'br' : null)
    }
  })

  it('is not given to another method', async () => {
    const path = `/v0/web/Bitcoin/${store(bitcoin, page())}`
    await ask(get(path))
    expect((await ask(get(path, {}, 'DELETE'))).status).toBe(405)
    expect((await ask(get(path, {}, 'OPTIONS'))).status).toBe(204)
  })

  it('is not given to the same text sent as something else than JSON', async () => {
    const asked = post('/v0/blob', store(bitcoin, page()))
    expect((await ask(asked)).status).toBe(200)
    const init = { ...asked.init, headers: { 'Content-Type': 'text/plain' } }
    expect((await ask({ ...asked, init })).status).toBe(415)
  })

  it('is not given on another host, where the path means something else', async () => {
    const path = `/v0/web/Bitcoin/${store(bitcoin, page())}`
    await ask(get(path))
    const elsewhere = await exports.default.fetch(`https://storage.example${path}`)
    expect(elsewhere.status).toBe(404)
  })

  it('is refused as soon as one of its transactions is denied', async () => {
    const txids = store(bitcoin, page())
    const id = await storeItem(env.DB, { blockchain: 'Bitcoin', txids })
    const all = [post('/v0/blob', txids), get(`/v0/web/Bitcoin/${txids.join(',')}`), get(`/v0/content/${id}`)]
    for (const asked of all) {
      await ask(asked)
      expect(tier(await ask(asked))).toBe('memory')
    }
    await deny(txids[0] ?? '')
    for (const asked of all) expect((await ask(asked)).status).toBe(451)
  })
})
