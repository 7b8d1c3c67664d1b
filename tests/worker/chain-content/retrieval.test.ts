import { env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import type { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { concatBytes, fromHex, toHex } from '../../../protocol/bytes.ts'
import { readStripped } from '../../../protocol/transaction.ts'
import { BLOCK_PREFIX, blockName } from '../../../worker/ipfs/blocks/block-key.ts'
import { addFile } from '../../../worker/ipfs/dag/add-file.ts'
import { carry, carryScripts, store, useScriptedNodes } from '../scripted-node.ts'

const nodes = useScriptedNodes()
const bitcoin = [nodes['bitcoin-a.test'], nodes['bitcoin-b.test']]
const API = 'https://api.example'
const HTML = '<!doctype html><title>Hello</title><p>Stored on a chain.</p>'
const page = () => brotliCompressSync(Buffer.from(`${HTML}${crypto.randomUUID()}`))

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } }
  return exports.default.fetch(`${API}${path}`, {
    ...init,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

const get = (path: string, init?: RequestInit) => exports.default.fetch(`${API}${path}`, init)
const code = async (response: Response) => ((await response.json()) as { code: string }).code
const requests = () => bitcoin.reduce((sum, node) => sum + node.requests.length, 0)

describe('POST /v0/blob', () => {
  it('gives the stored bytes of all transactions, in order, as hex', async () => {
    const stored = page()
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: store(bitcoin, stored) })
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('text/plain')
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.get('Content-Security-Policy')).toBe('sandbox allow-scripts allow-forms allow-popups')
    expect(response.headers.get('Server-Timing')).toMatch(/^cache;desc=miss, rpc;dur=\d+$/)
    expect(await response.text()).toBe(toHex(stored))
  })

  it('takes txids in upper case', async () => {
    const txids = store(bitcoin, page())
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: txids.map((txid) => txid.toUpperCase()) })
    expect(response.status).toBe(200)
  })

  it('repeats the data of a txid that stands in the list twice', async () => {
    const [txid = ''] = store(bitcoin, Uint8Array.of(1, 2, 3))
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: [txid, txid] })
    expect(await response.text()).toBe('010203010203')
  })

  it('takes every push of every OP_RETURN output, and nothing of a broken one', async () => {
    const script = (hex: string) => fromHex(hex) ?? new Uint8Array()
    const { txid, hex } = carryScripts([
      script('6a02aabb00034c01cc'.replace('0003', '')), // two pushes, direct and PUSHDATA1
      script('6a05aa'), // ends inside a push
      script('76a914'), // no OP_RETURN
      script('6a4f5160'), // OP_1NEGATE OP_1 OP_16
      script('6a50'), // OP_RESERVED
    ])
    for (const node of bitcoin) node.transactions.set(txid, hex)
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: [txid] })
    expect(await response.text()).toBe('aabbcc810110')
  })

  const missing: [string, () => string[]][] = [
    ['one transaction does not exist', () => [...store(bitcoin, page()), 'f'.repeat(64)]],
    [
      'one transaction has no data',
      () => {
        const { txid, hex } = carryScripts([Uint8Array.of(0x51)])
        for (const node of bitcoin) node.transactions.set(txid, hex)
        return [...store(bitcoin, page()), txid]
      },
    ],
  ]
  it.each(missing)('is a 404 without a body when %s', async (_, txids) => {
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: txids() })
    expect(response.status).toBe(404)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(await response.text()).toBe('')
  })

  it('does not remember a 404: the transaction may arrive in a second', async () => {
    const { txid, hex } = carry(page())
    const body = { blockchain: 'Bitcoin', txids: [txid] }
    expect((await post('/v0/blob', body)).status).toBe(404)
    for (const node of bitcoin) node.transactions.set(txid, hex)
    expect((await post('/v0/blob', body)).status).toBe(200)
  })

  const refused: [string, unknown, string][] = [
    ['a chain in lower case', { blockchain: 'bitcoin', txids: ['a'.repeat(64)] }, 'blockchain'],
    ['IPFS, naming its path', { blockchain: 'IPFS', txids: ['a'.repeat(64)] }, '/ipfs/'],
    ['a missing chain', { txids: ['a'.repeat(64)] }, 'blockchain'],
    ['missing txids', { blockchain: 'Bitcoin' }, 'txids'],
    ['no txids', { blockchain: 'Bitcoin', txids: [] }, 'txids'],
    ['a short txid', { blockchain: 'Bitcoin', txids: ['a'.repeat(63)] }, 'txids[0]'],
    ['a txid that is a number', { blockchain: 'Bitcoin', txids: [7] }, 'txids[0]'],
    ['more txids than 15,000', { blockchain: 'Bitcoin', txids: new Array(15_001).fill('a'.repeat(64)) }, '15000'],
  ]
  it.each(refused)('refuses %s with a 400', async (_, body, named) => {
    const response = await post('/v0/blob', body)
    const answer = (await response.json()) as { message: string; code: string }
    expect(response.status).toBe(400)
    expect(answer.code).toBe('invalid_field')
    expect(answer.message).toContain(named)
  })

  it('refuses what is no JSON, no object, or not sent as JSON', async () => {
    expect(await code(await post('/v0/blob', '{'))).toBe('invalid_json')
    expect(await code(await post('/v0/blob', '[]'))).toBe('invalid_json')
    const plain = await post('/v0/blob', '{}', { 'Content-Type': 'text/plain' })
    expect(plain.status).toBe(415)
  })

  it('refuses a body over 1 MiB before looking at it', async () => {
    const response = await post('/v0/blob', `{"x":"${'y'.repeat(1 << 20)}"}`, { 'Content-Type': 'text/plain' })
    expect(response.status).toBe(413)
  })
})

describe('POST /v0/web', () => {
  const ask = async (stored: Uint8Array, acceptEncoding?: string) => {
    const body = JSON.stringify({ blockchain: 'Bitcoin', txids: store(bitcoin, stored) })
    const cf = { clientAcceptEncoding: acceptEncoding ?? '' } as IncomingRequestCfProperties
    const headers = { 'Content-Type': 'application/json' }
    return await exports.default.fetch(new Request(`${API}/v0/web`, { method: 'POST', headers, body, cf }))
  }

  it('gives the page raw to a client that says nothing of encodings', async () => {
    const stored = page()
    const response = await ask(stored)
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
    expect(response.headers.get('Content-Encoding')).toBeNull()
    expect(response.headers.get('Vary')).toBe('Accept-Encoding')
    expect(Buffer.from(await response.arrayBuffer())).toEqual(brotliDecompressSync(stored))
  })

  it('gives the stored Brotli as it is to a client that takes it', async () => {
    const stored = page()
    const response = await ask(stored, 'gzip, br')
    expect(response.headers.get('Content-Encoding')).toBe('br')
    expect(response.headers.get('ETag')).toMatch(/\.br"$/)
  })

  it('obeys br;q=0', async () => {
    expect((await ask(page(), 'br;q=0, *')).headers.get('Content-Encoding')).toBeNull()
  })

  it('serves what is not Brotli as the bytes it is, even when it begins like Brotli', async () => {
    const text = Buffer.from(`; plain text ${crypto.randomUUID()}`)
    const response = await ask(text, 'br')
    expect(response.headers.get('Content-Encoding')).toBeNull()
    expect(await response.text()).toBe(text.toString())
  })

  it('refuses a page that decodes to more than the limit, compressed or not', async () => {
    const bomb = brotliCompressSync(Buffer.alloc(33 << 20, Math.random().toString()))
    for (const accept of ['br', 'identity']) {
      const response = await ask(bomb, accept)
      expect(response.status).toBe(422)
      expect(await code(response)).toBe('content_too_large')
    }
  })
})

describe('GET /v0/web/<blockchain>/<txids>', () => {
  it('gives the page, and a 304 to who has it', async () => {
    const path = `/v0/web/Bitcoin/${store(bitcoin, page()).join(',')}`
    const first = await get(path)
    expect(first.status).toBe(200)
    expect(await first.text()).toContain(HTML)
    const etag = first.headers.get('ETag') ?? ''
    const second = await get(path, { headers: { 'If-None-Match': etag } })
    expect(second.status).toBe(304)
    expect(second.headers.get('ETag')).toBe(etag)
  })

  it('answers HEAD with the length and no body', async () => {
    const stored = page()
    const response = await get(`/v0/web/Bitcoin/${store(bitcoin, stored).join(',')}`, { method: 'HEAD' })
    expect(response.headers.get('Content-Length')).toBe(String(brotliDecompressSync(stored).length))
    expect(await response.text()).toBe('')
  })
})

describe('the raw transactions', () => {
  it('come without witness, in the order asked for, and each hashes to its txid', async () => {
    const txids = store(bitcoin, page(), 20)
    const answers = [
      await get(`/v0/tx/Bitcoin/${txids.join(',')}`),
      await post('/v0/tx', { blockchain: 'Bitcoin', txids }),
    ]
    for (const response of answers) {
      expect(response.headers.get('Content-Type')).toBe('application/octet-stream')
      const bytes = new Uint8Array(await response.arrayBuffer())
      let offset = 0
      for (const txid of txids) {
        const transaction = readStripped(bytes, offset)
        expect(transaction.txid).toBe(txid)
        expect(transaction.bytes.length).toBe(transaction.end - offset)
        offset = transaction.end
      }
      expect(offset).toBe(bytes.length)
    }
  })

  it('give the data of one as JSON at /v0/chunk', async () => {
    const [txid = ''] = store(bitcoin, Uint8Array.of(0xca, 0xfe))
    const response = await get(`/v0/chunk/Bitcoin/${txid}`)
    expect(await response.json()).toEqual({ hex: 'cafe' })
  })

  it('are one each at /v0/chunk', async () => {
    expect((await get(`/v0/chunk/Bitcoin/${'a'.repeat(64)},${'b'.repeat(64)}`)).status).toBe(400)
  })
})

describe('an item by its object id', () => {
  const bytes = concatBytes([new TextEncoder().encode(HTML.repeat(50))])
  const stored = brotliCompressSync(bytes)

  async function insertItem(status: number): Promise<string> {
    const id = toHex(crypto.getRandomValues(new Uint8Array(12)))
    const txids = store(bitcoin, stored)
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO items (id, user_id, name, mimetype, blockchain, size, chunk_size, chunks, status, stored_size, created_at, updated_at)
         VALUES (?, 'u', 'n', 'text/css', 'Bitcoin', ?, 1, 1, ?, ?, 0, 0)`,
      ).bind(id, bytes.length, status, stored.length),
      env.DB.prepare('INSERT INTO item_txids (item_id, txids) VALUES (?, ?)').bind(id, txids.join('')),
    ])
    return id
  }

  it('is served decoded, with its media type', async () => {
    const response = await get(`/v0/content/${await insertItem(200)}`)
    expect(response.headers.get('Content-Type')).toBe('text/css')
    expect(response.headers.get('Accept-Ranges')).toBe('bytes')
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  })

  it('is served by ranges of its decoded bytes', async () => {
    const path = `/v0/content/${await insertItem(200)}`
    const part = await get(path, { headers: { Range: 'bytes=10-19' } })
    expect(part.status).toBe(206)
    expect(part.headers.get('Content-Range')).toBe(`bytes 10-19/${bytes.length}`)
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.subarray(10, 20))
    const beyond = await get(path, { headers: { Range: `bytes=${bytes.length}-` } })
    expect(beyond.status).toBe(416)
    expect(beyond.headers.get('Content-Range')).toBe(`bytes */${bytes.length}`)
  })

  it('says what is wrong with a range outside of it, as JSON whatever the item is', async () => {
    const path = `/v0/content/${await insertItem(200)}`
    const beyond = await get(path, { headers: { Range: `bytes=${bytes.length}-` } })
    expect(beyond.headers.get('Content-Type')).toBe('application/json')
    expect(await beyond.json()).toEqual({ message: expect.any(String), code: 'range_not_satisfiable' })
    const head = await get(path, { method: 'HEAD', headers: { Range: `bytes=${bytes.length}-` } })
    expect([head.status, await head.text()]).toEqual([416, ''])
  })

  it('ignores a range of another version', async () => {
    const headers = { Range: 'bytes=0-1', 'If-Range': '"other"' }
    expect((await get(`/v0/content/${await insertItem(200)}`, { headers })).status).toBe(200)
  })

  it('tells its type and hex size to HEAD /v0/blob, which has no GET', async () => {
    const id = await insertItem(200)
    const head = await get(`/v0/blob/${id}`, { method: 'HEAD' })
    expect(head.headers.get('Content-Type')).toBe('text/css')
    expect(head.headers.get('Content-Length')).toBe(String(2 * stored.length))
    const headers = { 'If-None-Match': head.headers.get('ETag') ?? '' }
    expect((await get(`/v0/blob/${id}`, { method: 'HEAD', headers })).status).toBe(304)
    for (const method of ['GET', 'DELETE']) {
      const refused = await get(`/v0/blob/${id}`, { method })
      expect(refused.status).toBe(405)
      expect(refused.headers.get('Allow')).toBe('HEAD')
    }
  })

  it('is not there before it is stored, nor under a name that is no object id', async () => {
    for (const id of [await insertItem(202), 'f'.repeat(24), 'F'.repeat(24), '..']) {
      expect((await get(`/v0/content/${id}`)).status).toBe(404)
      expect((await get(`/v0/blob/${id}`, { method: 'HEAD' })).status).toBe(404)
    }
  })

  it('is missed with a sentence, and asked for again the next time', async () => {
    const missing = await get(`/v0/content/${'f'.repeat(24)}`)
    expect(await missing.json()).toEqual({ message: expect.any(String), code: 'not_found' })
    expect(missing.headers.get('Cache-Control')).toBe('no-store')
  })
})

describe('an item on IPFS', () => {
  it('is served by its object id with its own media type, by ranges too', async () => {
    const bytes = Uint8Array.from({ length: 3 << 20 }, (_, index) => (index * 2_654_435_761) >>> 13)
    const sink = {
      async put(cid: CID, block: Uint8Array): Promise<CID> {
        await env.BUCKET.put(BLOCK_PREFIX + blockName(cid), block)
        return cid
      },
    }
    const { cid } = await addFile(sink, new Blob([bytes]).stream())
    const id = toHex(crypto.getRandomValues(new Uint8Array(12)))
    await env.DB.prepare(
      `INSERT INTO items (id, user_id, name, mimetype, blockchain, size, chunk_size, chunks, status, cid, created_at, updated_at)
       VALUES (?, 'u', 'n', 'video/mp4', 'IPFS', ?, 1, 1, 200, ?, 0, 0)`,
    )
      .bind(id, bytes.length, cid.toString())
      .run()
    const whole = await get(`/v0/content/${id}`)
    expect(whole.headers.get('Content-Type')).toBe('video/mp4')
    expect(whole.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const part = await get(`/v0/content/${id}`, { headers: { Range: 'bytes=2000000-2000009' } })
    expect(part.status).toBe(206)
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(2_000_000, 2_000_010))
    const head = await get(`/v0/blob/${id}`, { method: 'HEAD' })
    expect(head.headers.get('Content-Length')).toBe(String(2 * bytes.length))
  })
})

describe('the node', () => {
  it('sees one HTTP request for up to 100 small transactions, and at most 10 for 1,000', async () => {
    await post('/v0/blob', {
      blockchain: 'Bitcoin',
      txids: store(bitcoin, crypto.getRandomValues(new Uint8Array(8_000))),
    })
    expect(requests()).toBe(1)
    await post('/v0/blob', {
      blockchain: 'Bitcoin',
      txids: store(bitcoin, crypto.getRandomValues(new Uint8Array(64_000)), 64),
    })
    expect(requests()).toBeLessThanOrEqual(11)
  })

  it('is not asked again for what is warm', async () => {
    const body = { blockchain: 'Bitcoin', txids: store(bitcoin, page()) }
    await post('/v0/web', body)
    const asked = requests()
    const warm = await post('/v0/web', body)
    expect(warm.headers.get('Server-Timing')).toBe('cache;desc=memory')
    await post('/v0/blob', body)
    expect(requests()).toBe(asked)
  })

  it('is asked at most twice by 100 readers of the same cold content', async () => {
    const [first, second] = bitcoin
    if (!first || !second) throw new Error('two nodes')
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    for (const node of bitcoin) node.misbehave = (answer) => gate.then(answer)
    const body = { blockchain: 'Bitcoin', txids: store(bitcoin, page()) }
    const readers = Array.from({ length: 100 }, () => post('/v0/blob', body))
    setTimeout(open, 100)
    for (const response of await Promise.all(readers)) expect(response.status).toBe(200)
    expect(requests()).toBeLessThanOrEqual(2)
  })

  it('is not asked for the raw transactions after the content was read', async () => {
    const body = { blockchain: 'Bitcoin', txids: store(bitcoin, page()) }
    await post('/v0/web', body)
    const asked = requests()
    expect((await post('/v0/tx', body)).status).toBe(200)
    expect(requests()).toBe(asked)
  })

  const lies: [string, (answer: () => Response) => Response | Promise<Response>][] = [
    [
      'another transaction',
      async (answer) =>
        Response.json(
          ((await answer().json()) as { id: number }[]).map(({ id }) => ({ id, result: carry(Uint8Array.of(1)).hex })),
        ),
    ],
    ['one altered byte', async (answer) => new Response((await answer().text()).replace('6a', '6b'))],
    ['cut JSON', async (answer) => new Response((await answer().text()).slice(0, -20))],
    ['an HTML page', () => new Response('<html>busy</html>')],
    ['a truncated transaction', async (answer) => new Response((await answer().text()).replace(/00000000"/g, '"'))],
    ['an empty list', () => Response.json([])],
    ['null', () => Response.json(null)],
    ['a result that is no hex', () => Response.json([{ id: 0, result: { evil: true } }])],
  ]
  it.each(lies)('that answers with %s is passed over for the next', async (_, lie) => {
    nodes['bitcoin-a.test'].misbehave = lie
    const stored = page()
    for (let turn = 0; turn < 2; turn++) {
      const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: store(bitcoin, stored, 79 + turn) })
      expect(await response.text()).toBe(toHex(stored))
    }
  })

  it.each(lies)('that is the only one and answers with %s makes a 502, and nothing is kept', async (_, lie) => {
    const node = nodes['nativecoin.test']
    node.misbehave = lie
    const stored = page()
    const body = { blockchain: 'Nativecoin', txids: store([node], stored, 50) }
    const response = await post('/v0/blob', body)
    expect(response.status).toBe(502)
    expect(await code(response)).toBe('node_bad_answer')
    node.misbehave = undefined
    expect(await (await post('/v0/blob', body)).text()).toBe(toHex(stored))
  })

  it('that floods is cut off', async () => {
    const node = nodes['nativecoin.test']
    const block = new Uint8Array(1 << 20).fill(0x20)
    let sent = 0
    node.misbehave = () =>
      new Response(
        new ReadableStream({ pull: (controller) => (sent++ < 200 ? controller.enqueue(block) : controller.close()) }),
      )
    const response = await post('/v0/blob', { blockchain: 'Nativecoin', txids: store([node], page()) })
    expect(response.status).toBe(502)
    expect(sent).toBeLessThan(30)
  })

  it('that is unreachable makes a 502, never a 404', async () => {
    nodes['dogecoin.test'].misbehave = () => Promise.reject(new TypeError('connection refused'))
    const response = await post('/v0/blob', { blockchain: 'Dogecoin', txids: ['e'.repeat(64)] })
    expect(response.status).toBe(502)
    expect(response.headers.get('Retry-After')).toBe('5')
  })

  it('that has not the transaction does not speak for the other, which has', async () => {
    const stored = page()
    const txids = store([nodes['bitcoin-b.test']], stored)
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids })
    expect(await response.text()).toBe(toHex(stored))
  })

  it('that cannot be asked leaves the question open: 502 where the other has nothing', async () => {
    nodes['bitcoin-b.test'].misbehave = () => new Response('<html>', { status: 500 })
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: ['d'.repeat(64)] })
    expect(response.status).toBe(502)
  })

  it('that says nothing makes a 504 within 10 s, and the other answers long before', { timeout: 15_000 }, async () => {
    const silence = () => new Promise<Response>(() => {})
    nodes['dogecoin.test'].misbehave = silence
    nodes['bitcoin-a.test'].misbehave = silence
    const started = Date.now()
    const [lone, ...pair] = await Promise.all([
      post('/v0/blob', { blockchain: 'Dogecoin', txids: ['c'.repeat(64)] }),
      post('/v0/blob', { blockchain: 'Bitcoin', txids: store(bitcoin, page()) }),
      post('/v0/blob', { blockchain: 'Bitcoin', txids: store(bitcoin, page()) }),
    ])
    expect(lone?.status).toBe(504)
    for (const response of pair) expect(response.status).toBe(200)
    expect(Date.now() - started).toBeLessThan(10_000)
  })

  it('is not asked on when content passes the limit', async () => {
    const node = nodes['nativecoin.test']
    const data = new Uint8Array(102_480)
    const txids = Array.from({ length: 170 }, (_, index) => {
      data[0] = index
      return store([node], data, data.length)[0] ?? ''
    })
    const response = await post('/v0/blob', { blockchain: 'Nativecoin', txids })
    expect(response.status).toBe(422)
    expect(await code(response)).toBe('content_too_large')
  })
})

describe('the edge of the API', () => {
  it('names the allowed methods on a known path', async () => {
    const response = await get('/v0/web')
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe('POST')
    expect(await code(response)).toBe('method_not_allowed')
  })

  it('answers any origin on retrieval, preflight included', async () => {
    const headers = { Origin: 'https://any.example', 'Access-Control-Request-Method': 'POST' }
    const response = await get('/v0/web', { method: 'OPTIONS', headers })
    expect(response.status).toBe(204)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull()
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
  })

  it('asks for a body, not for a media type, where there is none', async () => {
    expect((await get('/v0/web', { method: 'POST' })).status).toBe(400)
  })

  it('says nosniff and why at addresses where nothing is', async () => {
    for (const url of ['https://storage.example/', 'https://nothing.storage.example/']) {
      const response = await exports.default.fetch(url)
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(await code(response)).toBe('not_found')
    }
  })
})

describe('R2', () => {
  it('has what it has checked again when it is read: an altered object is fetched anew', async () => {
    const stored = page()
    const [txid = ''] = store(bitcoin, stored, 2000)
    const key = `content/Bitcoin/${txid}`
    await env.BUCKET.put(key, 'altered', { customMetadata: { encoding: 'identity' } })
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: [txid] })
    expect(await response.text()).toBe(toHex(stored))
  })
})
