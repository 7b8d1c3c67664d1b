import { env, exports } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { corsHeaders } from '../../../../../worker/platform/http/cors.ts'
import { add, firstRow, runSql } from '../../../rows.ts'
import { signIn } from '../../../sign-in.ts'
import { type Api, callApi, createItem, noise } from '../api.ts'
import { cutBody, MIB, metadata, slowBody, TUS, tusClient } from './tus.ts'

let api: Api
let tus: ReturnType<typeof tusClient>
beforeAll(async () => {
  api = callApi((await signIn()).headers)
  tus = tusClient(api)
})

const hexOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const codeOf = async (response: Response) => (await response.json<{ code: string }>()).code

/** The bytes of an upload, as its merge reads them. */
async function heldBytes(id: string, chunks: number): Promise<Buffer> {
  const objects = await Promise.all(
    Array.from({ length: chunks }, (_, index) => env.BUCKET.get(`chunks/${id}/${index}`)),
  )
  return Buffer.concat(
    await Promise.all(objects.map(async (object) => Buffer.from((await object?.arrayBuffer()) ?? []))),
  )
}

describe('discovery', () => {
  it('says by OPTIONS, without a token, what is spoken and offered', async () => {
    for (const path of ['/upload', `/upload/${'a'.repeat(24)}`]) {
      const response = await exports.default.fetch(`https://api.example/v0${path}`, { method: 'OPTIONS' })
      expect(response.status).toBe(204)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'tus-resumable': '1.0.0',
        'tus-version': '1.0.0',
        'tus-extension': 'creation,creation-with-upload,termination,expiration',
        'tus-max-size': String(2 ** 30),
      })
    }
  })

  it('lets pages of the console’s origins send and read the headers of tus', async () => {
    const response = await exports.default.fetch('https://api.example/v0/upload', {
      method: 'OPTIONS',
      headers: { Origin: 'https://console.example', 'Access-Control-Request-Method': 'POST' },
    })
    const listed = (name: string) => response.headers.get(name)?.split(', ') ?? []
    expect(listed('Access-Control-Allow-Headers')).toEqual(
      expect.arrayContaining([
        'Tus-Resumable',
        'Upload-Length',
        'Upload-Metadata',
        'Upload-Offset',
        'X-HTTP-Method-Override',
      ]),
    )
    expect(listed('Access-Control-Allow-Methods')).toEqual(expect.arrayContaining(['POST']))
    const origin = 'https://console.example'
    const exposed = corsHeaders('/v0/upload', origin, { consoleOrigins: [origin] })['Access-Control-Expose-Headers']
    expect(exposed?.split(', ')).toEqual(
      expect.arrayContaining(['Location', 'Tus-Resumable', 'Upload-Offset', 'Upload-Length', 'Upload-Expires']),
    )
  })
})

describe('creation', () => {
  it('begins an item whose id is that of the upload', async () => {
    const response = await tus.create(5, { filename: 'ä.txt', filetype: 'text/plain', blockchain: 'Nativecoin' })
    expect(response.status).toBe(201)
    expect(response.headers.get('Tus-Resumable')).toBe('1.0.0')
    const [, id] = /^\/v0\/upload\/([0-9a-f]{24})$/.exec(response.headers.get('Location') ?? '') ?? []
    const week = Date.parse(response.headers.get('Upload-Expires') ?? '') - Date.now()
    expect(Math.abs(week - 7 * 86_400_000)).toBeLessThan(60_000)
    expect(await (await api.send('GET', `/item/${id}`)).json()).toMatchObject({
      name: 'ä.txt',
      mimetype: 'text/plain',
      blockchain: 'Nativecoin',
      size: 5,
      status: '201 Created',
    })
  })

  it('takes the first bytes along', async () => {
    const content = noise(MIB + 9)
    const response = await tus.create(MIB + 10, {}, {}, content)
    expect(response.status).toBe(201)
    expect(response.headers.get('Upload-Offset')).toBe(String(MIB + 9))
    expect(await tus.offset(response.headers.get('Location')?.slice(-24) ?? '')).toBe(MIB + 9)
  })

  it('puts it into a folder, and takes a file of no known type', async () => {
    const folder = await (await api.sendJson('POST', '/folder', { name: 'f', blockchain: 'IPFS' })).json<{
      id: string
    }>()
    const id = await tus.begin(5, { folder: folder.id, filetype: '' })
    expect(await (await api.send('GET', `/item/${id}`)).json()).toMatchObject({
      folder: folder.id,
      mimetype: 'application/octet-stream',
    })
  })

  const refusals: [string, () => Promise<Response>, number, string][] = [
    ['another version', () => tus.create(5, {}, { 'Tus-Resumable': '0.2.2' }), 412, 'tus_version'],
    ['no length', () => tus.create(5, {}, { 'Upload-Length': '' }), 400, 'invalid_field'],
    ['a length that comes later', () => tus.create(5, {}, { 'Upload-Defer-Length': '1' }), 400, 'invalid_field'],
    ['parts to be joined', () => tus.create(5, {}, { 'Upload-Concat': 'partial' }), 400, 'invalid_field'],
    ['more than any item may have', () => tus.create(2 ** 30 + 1), 413, 'item_too_large'],
    ['more than a chain gives back', () => tus.create(2 ** 26, { blockchain: 'Bitcoin' }), 422, 'content_too_large'],
    ['no name', () => tus.create(5, { filename: '' }), 400, 'invalid_field'],
    ['an unknown target', () => tus.create(5, { blockchain: 'bitcoin' }), 400, 'invalid_field'],
    ['a folder that is not there', () => tus.create(5, { folder: 'a'.repeat(24) }), 404, 'not_found'],
    ['invalid metadata', () => tus.create(5, {}, { 'Upload-Metadata': 'filename ä' }), 400, 'invalid_field'],
    [
      'a body of another type',
      () => tus.create(5, {}, { 'Content-Type': 'text/plain' }, noise(5)),
      415,
      'unsupported_media_type',
    ],
    [
      'a body longer than the upload',
      () => tus.create(5, {}, { 'Content-Length': '6' }, noise(6)),
      413,
      'upload_too_long',
    ],
  ]
  for (const [what, send, status, code] of refusals) {
    it(`refuses ${what}`, async () => {
      const response = await send()
      expect([response.status, await codeOf(response)]).toEqual([status, code])
      expect(response.headers.get('Tus-Resumable')).toBe('1.0.0')
    })
  }

  it('U4: keeps the quotas of an account', async () => {
    const { userId, headers } = await signIn()
    await add('items', { id: 'e'.repeat(24), user_id: userId, blockchain: 'IPFS', size: 10 * 2 ** 30 - 4 })
    const response = await tusClient(callApi(headers)).create(5)
    expect([response.status, await codeOf(response)]).toEqual([409, 'quota_exceeded'])
  })
})

describe('sending bytes', () => {
  it('goes part by part to the whole, which merges', async () => {
    const content = noise(2 * MIB + 5)
    const id = await tus.begin(content.length)
    const ends = [3, MIB - 1, MIB, 2 * MIB + 1, content.length]
    let offset = 0
    for (const end of ends) {
      const response = await tus.patch(id, offset, content.slice(offset, end))
      expect(response.status).toBe(204)
      expect(response.headers.get('Upload-Offset')).toBe(String(end))
      expect(response.headers.has('Upload-Expires')).toBe(true)
      offset = await tus.offset(id)
      expect(offset).toBe(end)
    }
    expect((await heldBytes(id, 3)).equals(content)).toBe(true)
    const merged = await (await api.send('POST', `/item/${id}/merge`)).json()
    expect(merged).toMatchObject({ status: '402 Payment Required', size: content.length })
    expect(await tus.offset(id)).toBe(content.length)
    expect(await env.BUCKET.head(`tails/${id}`)).toBeNull()
    const late = await tus.patch(id, content.length, noise(1))
    expect([late.status, await codeOf(late)]).toEqual([409, 'already_merged'])
  })

  it('keeps what arrived before a cut to the byte', async () => {
    const content = noise(3 * MIB)
    const id = await tus.begin(content.length)
    let offset = 0
    for (const cut of [1, 70_000, MIB - 70_001, 5, MIB + 7, 3 * MIB]) {
      const end = Math.min(content.length, offset + cut)
      await tus.patch(id, offset, cutBody(content.slice(offset, end)))
      expect(await tus.offset(id)).toBe(end)
      offset = end
    }
    expect((await heldBytes(id, 3)).equals(content)).toBe(true)
  })

  it('keeps the SHA-256 of each whole chunk', async () => {
    const content = noise(2 * MIB + 5)
    const id = await tus.begin(content.length + 1)
    await tus.patch(id, 0, content)
    const answer = await api.send('GET', `/upload/${id}`)
    expect(await answer.json()).toEqual({
      chunkSize: MIB,
      received: content.length,
      hashes: [hexOf(content.subarray(0, MIB)), hexOf(content.subarray(MIB, 2 * MIB))],
    })
  })

  it('goes on with what was sent by chunks, and the other way round', async () => {
    const content = noise(3 * MIB)
    const { id } = await createItem(api, { size: content.length, blockchain: 'IPFS' })
    await api.send('PUT', `/item/${id}/chunk/0`, content.slice(0, MIB))
    await api.send('PUT', `/item/${id}/chunk/2`, noise(MIB, 7))
    expect(await tus.offset(id)).toBe(MIB)
    expect((await tus.patch(id, MIB, content.slice(MIB, MIB + 10))).status).toBe(204)
    await api.send('PUT', `/item/${id}/chunk/1`, content.slice(MIB, 2 * MIB))
    expect(await tus.offset(id)).toBe(3 * MIB)
    const { hashes } = await (await api.send('GET', `/upload/${id}`)).json<{ hashes: string[] }>()
    expect(hashes[0]).toBe(hexOf(content.subarray(0, MIB)))
    expect(hashes).toHaveLength(3)
  })

  const refusals: [string, (id: string) => Promise<Response>, number, string][] = [
    ['another version', (id) => tus.patch(id, 0, noise(1), { 'Tus-Resumable': '' }), 412, 'tus_version'],
    ['an offset behind the end', (id) => tus.patch(id, 3, noise(1)), 409, 'wrong_offset'],
    ['an offset before it', (id) => tus.patch(id, 1, noise(1)), 409, 'wrong_offset'],
    ['an offset that is no number', (id) => tus.patch(id, 0, noise(1), { 'Upload-Offset': 'x' }), 400, 'invalid_field'],
    [
      'another media type',
      (id) => tus.patch(id, 2, noise(1), { 'Content-Type': 'text/plain' }),
      415,
      'unsupported_media_type',
    ],
    ['more than is missing', (id) => tus.patch(id, 2, noise(4), { 'Content-Length': '4' }), 413, 'upload_too_long'],
    [
      'a checksum, which is not checked here',
      (id) => tus.patch(id, 2, noise(1), { 'Upload-Checksum': 'sha1 x' }),
      400,
      'invalid_field',
    ],
  ]
  for (const [what, send, status, code] of refusals) {
    it(`refuses ${what}, and keeps nothing of it`, async () => {
      const id = await tus.begin(5)
      await tus.patch(id, 0, noise(2))
      const response = await send(id)
      expect([response.status, await codeOf(response)]).toEqual([status, code])
      expect(await tus.offset(id)).toBe(2)
    })
  }

  it('U1: refuses what runs over without having said its length, the whole upload kept', async () => {
    const id = await tus.begin(5)
    const { readable, write, close } = slowBody()
    const sending = tus.patch(id, 0, readable)
    await write(noise(9))
    void close().catch(() => {})
    const response = await sending
    expect([response.status, await codeOf(response)]).toEqual([413, 'upload_too_long'])
    expect(await tus.offset(id)).toBe(5)
  })

  it('U3: shows nothing of somebody else’s upload', async () => {
    const id = await tus.begin(5)
    const other = callApi((await signIn()).headers)
    const theirs = tusClient(other)
    expect((await theirs.head(id)).status).toBe(404)
    expect((await theirs.patch(id, 0, noise(1))).status).toBe(404)
    expect((await theirs.terminate(id)).status).toBe(404)
    expect((await other.send('GET', `/upload/${id}`)).status).toBe(404)
    expect((await tusClient(callApi({})).head(id)).status).toBe(401)
  })

  it('takes PATCH, HEAD and DELETE by X-HTTP-Method-Override', async () => {
    const id = await tus.begin(5)
    const post = (method: string, body?: Uint8Array<ArrayBuffer>) =>
      api.send('POST', `/upload/${id}`, body, {
        ...TUS,
        'X-HTTP-Method-Override': method,
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Offset': '0',
      })
    expect((await post('PATCH', noise(3))).headers.get('Upload-Offset')).toBe('3')
    expect((await post('HEAD')).headers.get('Upload-Offset')).toBe('3')
    expect((await post('DELETE')).status).toBe(204)
    expect((await post('PUT')).status).toBe(405)
  })
})

describe('a second writer', () => {
  afterEach(() => void vi.useRealTimers())

  /** Has time stand still: however slow the machine is, a writer has only just received what it received last. */
  const stopClock = () => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })

  it('U2: is refused while the first receives, and goes on when that one is done', async () => {
    const content = noise(20)
    const id = await tus.begin(content.length)
    stopClock()
    const body = slowBody()
    const first = tus.patch(id, 0, body.readable)
    await body.write(content.slice(0, 10))
    expect((await tus.patch(id, 0, noise(1))).status).toBe(423)
    await body.close()
    expect((await first).headers.get('Upload-Offset')).toBe('10')
    expect((await tus.patch(id, 10, content.slice(10))).status).toBe(204)
    expect((await heldBytes(id, 1)).equals(content)).toBe(true)
  })

  // A browser repeats a request by itself when a connection that it used before was cut.
  it('is refused before it has sent a byte, also when it repeats what has arrived', async () => {
    const id = await tus.begin(20)
    stopClock()
    const body = slowBody()
    const first = tus.patch(id, 0, body.readable)
    await body.write(noise(10))
    await expect.poll(async () => (await tus.patch(id, 0, slowBody().readable)).status).toBe(423)
    await body.close()
    await first
    const repeated = await tus.patch(id, 0, slowBody().readable)
    expect([repeated.status, await codeOf(repeated)]).toEqual([409, 'wrong_offset'])
  })

  it('learns by HEAD where to go on only when the first has kept what it received', async () => {
    const content = noise(20)
    const id = await tus.begin(content.length)
    const body = slowBody()
    const first = tus.patch(id, 0, body.readable)
    await body.write(content.slice(0, 10))
    expect((await tus.patch(id, 0, noise(1))).status).toBe(423)
    // Nothing arrives any more: the first makes room for the one that asks.
    expect(await tus.offset(id)).toBe(10)
    expect((await first).status).toBe(423)
  })

  it('is told by HEAD that another one is at it', async () => {
    const id = await tus.begin(1000)
    stopClock()
    const body = slowBody()
    const first = tus.patch(id, 0, body.readable)
    await body.write(noise(1))
    expect((await tus.head(id)).status).toBe(423)
    await body.close()
    expect((await first).status).toBe(204)
  })

  it('U2: takes over from one that receives nothing any more, whose bytes are kept', async () => {
    const content = noise(20)
    const id = await tus.begin(content.length)
    const body = slowBody()
    const first = tus.patch(id, 0, body.readable)
    await body.write(content.slice(0, 10))
    await expect.poll(async () => (await tus.patch(id, 10, content.slice(10))).status, { timeout: 60_000 }).toBe(204)
    expect((await first).status).toBe(423)
    expect((await heldBytes(id, 1)).equals(content)).toBe(true)
  })

  it('takes over from one that died, after its lease', async () => {
    const id = await tus.begin(5)
    const lease = 'INSERT INTO upload_leases (item_id, holder, expires_at) VALUES (?, ?, ?)'
    await runSql(lease, id, 'dead', Date.now() + 60_000)
    expect((await tus.patch(id, 0, noise(5))).status).toBe(423)
    await runSql('UPDATE upload_leases SET expires_at = ? WHERE item_id = ?', Date.now() - 1, id)
    expect((await tus.patch(id, 0, noise(5))).status).toBe(204)
    expect(await firstRow('SELECT * FROM upload_leases WHERE item_id = ?', id)).toBeNull()
  })
})

describe('termination', () => {
  it('removes the upload with all that arrived', async () => {
    const id = await tus.begin(3 * MIB)
    await tus.patch(id, 0, noise(MIB + 5))
    const response = await tus.terminate(id)
    expect(response.status).toBe(204)
    expect((await tus.head(id)).status).toBe(404)
    const keys = async () => [
      ...(await env.BUCKET.list({ prefix: `chunks/${id}` })).objects,
      ...(await env.BUCKET.list({ prefix: `tails/${id}` })).objects,
    ]
    await expect.poll(keys).toEqual([])
  })

  it('ends a writer that is at it, of which nothing stays', async () => {
    const id = await tus.begin(3 * MIB)
    const body = slowBody()
    const writing = tus.patch(id, 0, body.readable)
    await body.write(noise(MIB + 5))
    expect((await tus.terminate(id)).status).toBe(204)
    expect((await writing).status).toBe(404)
    expect((await env.BUCKET.list({ prefix: `chunks/${id}` })).objects).toEqual([])
    expect(await env.BUCKET.head(`tails/${id}`)).toBeNull()
  })
})

describe('GET /v0/upload', () => {
  interface Page {
    uploads: { id: string; name: string; path: string | null; received: number; size: number; expiresAt: number }[]
    cursor?: string
  }

  it('lists what is unfinished, with its place and what is held, and nothing else', async () => {
    const owner = callApi((await signIn()).headers)
    const theirs = tusClient(owner)
    const make = async (name: string, parent?: string) =>
      (await (await owner.sendJson('POST', '/folder', { name, blockchain: 'IPFS', parent })).json<{ id: string }>()).id
    const inner = await make('inner', await make('site'))
    const deep = await theirs.begin(10, { folder: inner, filename: 'deep.txt' })
    await theirs.patch(deep, 0, noise(4))
    const done = await theirs.begin(1)
    await theirs.patch(done, 0, noise(1))
    await owner.send('POST', `/item/${done}/merge`)
    const gone = await theirs.begin(1)
    await theirs.terminate(gone)
    const { uploads } = await (await owner.send('GET', '/upload')).json<Page>()
    expect(uploads).toEqual([
      {
        id: deep,
        name: 'deep.txt',
        path: 'site/inner',
        mimetype: 'application/octet-stream',
        blockchain: 'IPFS',
        folder: inner,
        size: 10,
        received: 4,
        createdAt: expect.any(Number),
        expiresAt: expect.any(Number),
      },
    ])
  })

  it('goes on behind a page of 20', async () => {
    const owner = callApi((await signIn()).headers)
    const items = Array.from({ length: 22 }, () => ({ name: 'a', mimetype: 'a/b', blockchain: 'IPFS', size: 1 }))
    await owner.sendJson('POST', '/item', { items })
    const first = await (await owner.send('GET', '/upload')).json<Page>()
    expect(first.uploads).toHaveLength(20)
    const second = await (await owner.send('GET', `/upload?cursor=${first.cursor}`)).json<Page>()
    expect(new Set([...first.uploads, ...second.uploads].map(({ id }) => id)).size).toBe(22)
    expect(second.cursor).toBeUndefined()
    expect((await owner.send('GET', '/upload?cursor=x')).status).toBe(400)
  })

  it('U8: is counted, since it asks the bucket about each: past 120 of an account in a minute 429', async () => {
    const { userId, headers } = await signIn()
    const owner = callApi(headers)
    const row = env.DB.prepare("INSERT INTO attempts (id, kind, address, client, at) VALUES (?, 'uploads', ?, '', ?)")
    // As if it were a little later, so that a slow machine makes none of them old.
    const at = Date.now() + 30_000
    await env.DB.batch(Array.from({ length: 119 }, () => row.bind(crypto.randomUUID(), userId, at)))
    const last = await owner.send('GET', '/upload')
    expect(last.status).toBe(200)
    expect(last.headers.get('RateLimit')).toBe('"uploads";r=0;t=60')
    const refused = await owner.send('GET', '/upload')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('RateLimit-Policy')).toContain('"uploads";q=120;w=60')
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect((await callApi((await signIn()).headers).send('GET', '/upload')).status).toBe(200)
  })
})

describe('an item that is being uploaded', () => {
  it('counts the bytes of a chunk that is not whole', async () => {
    const id = await tus.begin(2 * MIB)
    await tus.patch(id, 0, noise(MIB + 3))
    expect(await (await api.send('GET', `/item/${id}`)).json()).toMatchObject({ received: MIB + 3 })
  })

  it('names its metadata in tus as other clients write it', async () => {
    const pairs = { name: 'x', type: 'y', filename: 'a.bin', filetype: 'a/b', blockchain: 'IPFS' }
    const response = await api.send('POST', '/upload', undefined, {
      ...TUS,
      'Upload-Length': '5',
      'Upload-Metadata': metadata(pairs),
    })
    expect(response.status).toBe(201)
  })
})
