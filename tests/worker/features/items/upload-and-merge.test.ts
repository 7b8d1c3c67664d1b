import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { CHAINS } from '../../../../protocol/chains.ts'
import { literalBrotliLength } from '../../../../protocol/literal-brotli.ts'
import { acceptChunk } from '../../../../worker/features/items/accept-chunk.ts'
import { mergeItem } from '../../../../worker/features/items/merge/merge-item.ts'
import { listChunks, storedKey } from '../../../../worker/features/items/sql/item-objects.ts'
import { selectItem } from '../../../../worker/features/items/sql/items.ts'
import { beginMerges } from '../../../../worker/features/items/sql/move-items.ts'
import { signIn } from '../../sign-in.ts'
import { type Api, callApi, createItem, noise, prose, uploadItem } from './api.ts'

const MIB = 1024 * 1024

let api: Api
let userId: string
beforeAll(async () => {
  const user = await signIn()
  userId = user.userId
  api = callApi(user.headers)
})

async function stored(id: string): Promise<Uint8Array> {
  const object = await env.BUCKET.get(storedKey(id))
  if (!object) throw new Error(`Nothing is stored for ${id}`)
  return new Uint8Array(await object.arrayBuffer())
}

async function decode(id: string): Promise<Uint8Array> {
  return Uint8Array.from(brotliDecompressSync(await stored(id)))
}

/** Bytes that are quick to compress, and of which every KiB is different. */
function markedZeros(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i += 1024) bytes[i] = i / 1024
  return bytes
}

describe('uploading chunks', () => {
  it('says how to upload: one chunk of its own size, or chunks of 1 MiB', async () => {
    expect(await createItem(api, { size: 5 })).toMatchObject({ chunkSize: 5, chunks: 1 })
    expect(await createItem(api, { size: MIB })).toMatchObject({ chunkSize: MIB, chunks: 1 })
    const { id, ...plan } = await createItem(api, { size: 2 * MIB + 1 })
    expect(plan).toEqual({ chunkSize: MIB, chunks: 3 })
    expect(id).toMatch(/^[0-9a-f]{24}$/)
  })

  it('takes chunks in any order, in parallel and repeatedly', async () => {
    const content = markedZeros(2 * MIB + 7)
    const { id } = await createItem(api, { size: content.length })
    const put = (index: number) =>
      api.send('PUT', `/item/${id}/chunk/${index}`, content.subarray(index * MIB, (index + 1) * MIB))
    const answers = await Promise.all([put(2), put(0), put(1), put(2)])
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204])
    const merged = await api.send('POST', `/item/${id}/merge`)
    expect(merged.status).toBe(200)
    expect(Buffer.compare(await decode(id), content)).toBe(0)
  })

  it('notes the size of a picture, and merges one that does not say it', async () => {
    const gif = (bytes: string) => Uint8Array.from(new TextEncoder().encode(bytes))
    for (const blockchain of ['Nativecoin', 'IPFS'] as const) {
      const fields = { mimetype: 'image/gif', blockchain }
      const whole = await uploadItem(api, gif('GIF89a\x40\x01\x70\x00\x00\x00\x00'), fields)
      const broken = await uploadItem(api, gif('GIF'), fields)
      for (const id of [whole, broken]) expect((await api.send('POST', `/item/${id}/merge`)).status).toBe(200)
      expect(await selectItem(env.DB, whole)).toMatchObject({ state: 'unpaid', width: 320, height: 112 })
      expect(await selectItem(env.DB, broken)).toMatchObject({ state: 'unpaid', width: null, height: null })
    }
  })

  it('keeps the last bytes sent for a chunk', async () => {
    const { id } = await createItem(api, { size: 3 })
    for (const text of ['one', 'two']) await api.send('PUT', `/item/${id}/chunk/0`, text)
    await api.send('POST', `/item/${id}/merge`)
    expect(new TextDecoder().decode(await decode(id))).toBe('two')
  })

  it('keeps a chunk that is sent again while a merge begins, and is refused', async () => {
    const { id } = await createItem(api, { size: 3 })
    const send = (body: BodyInit) =>
      acceptChunk(
        env,
        { userId, itemId: id, index: '0', body: new Request('https://x', { method: 'PUT', body }) },
        Date.now(),
      )
    await send('one')
    const late = new ReadableStream(
      {
        type: 'bytes',
        async pull(controller) {
          await beginMerges(env.DB, userId, [id], 4, Date.now())
          controller.enqueue(new TextEncoder().encode('one'))
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    await expect(send(late)).rejects.toMatchObject({ code: 'merging' })
    await mergeItem(env, id, Date.now)
    expect(await selectItem(env.DB, id)).toMatchObject({ state: 'unpaid' })
  })

  const digestOf = (text: string) => `sha-256=:${createHash('sha256').update(text).digest('base64')}:`

  it('checks Content-Digest, and passes over algorithms it does not know', async () => {
    const { id } = await createItem(api, { size: 5 })
    const put = (digest: string) => api.send('PUT', `/item/${id}/chunk/0`, 'hello', { 'Content-Digest': digest })
    expect((await put(digestOf('hellO'))).status).toBe(400)
    expect((await put('sha-256=:abc:')).status).toBe(400)
    expect(await listChunks(env.BUCKET, id)).toEqual(new Map())
    expect((await put(`md5=:AA==:, ${digestOf('hello')}`)).status).toBe(204)
    expect((await put('unixsum=:AA==:')).status).toBe(204)
  })

  const refusals: [string, string, string | Uint8Array<ArrayBuffer>, number, string][] = [
    ['a chunk that is too long', '0', 'hello!', 413, 'chunk_too_long'],
    ['a chunk longer than any may be', '0', noise(MIB + 1), 413, 'chunk_too_long'],
    ['a chunk that is too short', '0', 'hell', 400, 'chunk_too_short'],
    ['an index past the end', '1', 'hello', 400, 'invalid_field'],
    ['an index that is not a plain number', '00', 'hello', 400, 'invalid_field'],
    ['a negative index', '-1', 'hello', 400, 'invalid_field'],
  ]
  for (const [what, index, body, status, code] of refusals) {
    it(`refuses ${what} and keeps nothing`, async () => {
      const { id } = await createItem(api, { size: 5 })
      const response = await api.send('PUT', `/item/${id}/chunk/${index}`, body)
      expect(response.status).toBe(status)
      expect(await response.json()).toMatchObject({ code })
      expect(await listChunks(env.BUCKET, id)).toEqual(new Map())
    })
  }

  it("does not know somebody else's item", async () => {
    const { id } = await createItem(api)
    const other = callApi((await signIn()).headers)
    for (const [method, path] of [
      ['GET', `/item/${id}`],
      ['PUT', `/item/${id}/chunk/0`],
      ['POST', `/item/${id}/merge`],
      ['DELETE', `/item/${id}`],
    ] as const) {
      const response = await other.send(method, path, method === 'PUT' ? 'hello' : undefined)
      expect([method, response.status]).toEqual([method, 404])
    }
    expect((await api.send('GET', `/item/${id}`)).status).toBe(200)
  })
})

describe('merging for a chain', () => {
  it('compresses into what the transactions carry, and waits for payment', async () => {
    const content = markedZeros(MIB + 1000)
    const id = await uploadItem(api, content, { name: 'story.txt' })
    const response = await api.send('POST', `/item/${id}/merge`)
    expect(response.status).toBe(200)
    const item: Record<string, unknown> = await response.json()
    const bytes = await stored(id)
    expect(item).toEqual({
      id,
      name: 'story.txt',
      mimetype: 'text/plain',
      blockchain: 'Nativecoin',
      status: '402 Payment Required',
      message: null,
      size: content.length,
      storedSize: bytes.length,
      cid: null,
      transactions: Math.ceil(bytes.length / 102_480),
      written: 0,
      confirmed: 0,
      createdAt: expect.any(Number),
      links: {
        content: `https://api.example/v0/content/${id}`,
        web: null,
        site: `https://${id}.storage.example/`,
      },
      embed: null,
      folder: null,
      path: null,
      files: null,
    })
    expect(bytes.length).toBeLessThan(content.length / 4)
    expect(Buffer.compare(await decode(id), content)).toBe(0)
    expect(await selectItem(env.DB, id)).toMatchObject({ maxDataBytes: 102_480, state: 'unpaid' })
    expect(await listChunks(env.BUCKET, id)).toEqual(new Map())
  })

  it('answers a repeated merge with the same item and refuses more chunks', async () => {
    const id = await uploadItem(api, prose(100))
    const [first, again] = await Promise.all([
      api.send('POST', `/item/${id}/merge`),
      api.send('POST', `/item/${id}/merge`),
    ])
    const item = await first?.json()
    expect(await again?.json()).toEqual(item)
    const later = await api.send('POST', `/item/${id}/merge`)
    expect([later.status, await later.json()]).toEqual([200, item])
    const put = await api.send('PUT', `/item/${id}/chunk/0`, prose(100))
    expect([put.status, await put.json()]).toEqual([409, expect.objectContaining({ code: 'already_merged' })])
    expect(await listChunks(env.BUCKET, id)).toEqual(new Map())
  })

  it('keeps content that compressing would grow as literal Brotli', async () => {
    const content = noise(5 * MIB)
    const id = await uploadItem(api, content, { mimetype: 'application/octet-stream' })
    await api.send('POST', `/item/${id}/merge`)
    expect((await stored(id)).length).toBe(literalBrotliLength(content.length, CHAINS.Nativecoin.maxDataBytes))
    expect(Buffer.compare(await decode(id), content)).toBe(0)
  })

  it('lists the chunks that are missing', async () => {
    const { id } = await createItem(api, { size: 3 * MIB })
    await api.send('PUT', `/item/${id}/chunk/1`, noise(MIB))
    const response = await api.send('POST', `/item/${id}/merge`)
    expect(response.status).toBe(409)
    expect(await response.json()).toEqual({
      message: 'Upload the missing chunks first: 0, 2.',
      code: 'chunks_missing',
      missing: [0, 2],
    })
    expect((await api.send('PUT', `/item/${id}/chunk/0`, noise(MIB))).status).toBe(204)
  })

  it('refuses what needs too many transactions, and says which targets take it', async () => {
    const content = noise(1_250_000)
    const id = await uploadItem(api, content, { blockchain: 'Bitcoin', mimetype: 'image/png' })
    const response = await api.send('POST', `/item/${id}/merge`)
    expect(response.status).toBe(422)
    expect(await response.json()).toEqual({
      code: 'too_many_transactions',
      message:
        'Compressed, this is more than Bitcoin takes: 15000 transactions of 80 bytes. Nativecoin and IPFS would take it.',
    })
    expect(await env.BUCKET.head(storedKey(id))).toBeNull()
    expect((await api.send('POST', `/item/${id}/merge`)).status).toBe(422)
  })

  it('takes other content for a refused item', async () => {
    const { id } = await createItem(api, { blockchain: 'Bitcoin', size: MIB + 300_000 })
    const upload = async (content: Uint8Array<ArrayBuffer>) => {
      await api.send('PUT', `/item/${id}/chunk/0`, content.subarray(0, MIB))
      await api.send('PUT', `/item/${id}/chunk/1`, content.subarray(MIB))
      return (await api.send('POST', `/item/${id}/merge`)).status
    }
    expect(await upload(noise(MIB + 300_000))).toBe(422)
    expect(await upload(markedZeros(MIB + 300_000))).toBe(200)
  })
})
