import { env } from 'cloudflare:workers'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { beforeAll, describe, expect, it } from 'vitest'
import { blockName } from '../../../../../worker/content/ipfs/blocks/block-key.ts'
import { MAX_CAR_BYTES } from '../../../../../worker/content/ipfs/blocks/import-car.ts'
import { DagFixture, randomBytes } from '../../../content/ipfs/dag-fixture.ts'
import { carOf, writeCar } from '../../../content/ipfs/write-car.ts'
import { fetchApi } from '../../../fetch-api.ts'
import { signIn } from '../../../sign-in.ts'
import { type Api, callApi } from '../api.ts'
import { MIB, metadata, TUS, tusClient } from './tus.ts'

let api: Api
let tus: ReturnType<typeof tusClient>
beforeAll(async () => {
  api = callApi((await signIn('admin')).headers)
  tus = tusClient(api)
})

/** Begins the upload of a CAR, of which nothing is said but that it is one, and what `pairs` add. */
async function begin(size: number, pairs: Record<string, string> = {}, by: Api = api): Promise<Response> {
  const headers = { ...TUS, 'Upload-Length': String(size), 'Upload-Metadata': metadata({ kind: 'car', ...pairs }) }
  return await by.send('POST', '/upload', undefined, headers)
}

const idOf = (response: Response) => response.headers.get('Location')?.split('/').at(-1) ?? ''

/** Uploads a whole CAR in two parts. Returns its id. */
async function upload(car: Uint8Array<ArrayBuffer>, pairs: Record<string, string> = {}): Promise<string> {
  const id = idOf(await begin(car.length, pairs))
  const half = Math.floor(car.length / 2)
  expect((await tus.patch(id, 0, car.slice(0, half))).status).toBe(204)
  expect((await tus.patch(id, half, car.slice(half))).status).toBe(204)
  return id
}

const merge = async (id: string) => {
  const response = await api.send('POST', `/item/${id}/merge`)
  return { status: response.status, body: await response.json<Record<string, unknown>>() }
}

const isServed = async (cid: CID) => {
  const headers = { 'Cache-Control': 'only-if-cached' }
  const response = await fetchApi('GET', `/ipfs/${cid}?format=raw`, { headers })
  await response.arrayBuffer()
  return response.status === 200
}

const objectsOf = async (prefix: string) => (await env.BUCKET.list({ prefix })).objects.map(({ key }) => key)

describe('a CAR that is uploaded by tus', () => {
  it('is taken in at its merge, free of charge, and is an item that its root names', async () => {
    const dag = new DagFixture()
    const bytes = randomBytes(2_200_000)
    const cid = await dag.addFile(bytes)
    const id = await upload(await carOf(dag, [cid]), { filename: 'film.car', filetype: 'video/mp4' })
    expect(await isServed(cid)).toBe(false)
    const { status, body } = await merge(id)
    const held = [...dag.blocks.values()].reduce((sum, block) => sum + block.length, 0)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, status: '200 OK', cid: String(cid), storedSize: held, name: 'film.car' })
    const served = await fetchApi('GET', `/v0/content/${id}`)
    expect(served.headers.get('Content-Type')).toBe('video/mp4')
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(bytes)
    expect(await isServed(cid)).toBe(true)
    expect(await objectsOf(`chunks/${id}`)).toEqual([])
  })

  it('U7: takes neither bytes nor a merge by an API key, also of who may import', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile(randomBytes(2000))
    const car = await carOf(dag, [cid])
    const made = await api.sendJson('POST', '/user/keys', { name: 'ci', scopes: ['read', 'store'] })
    const { key } = await made.json<{ key: string }>()
    const byKey = callApi({ Authorization: `Bearer ${key}` })
    expect((await begin(car.length, {}, byKey)).status).toBe(403)
    const id = idOf(await begin(car.length))
    expect((await tusClient(byKey).patch(id, 0, car)).status).toBe(403)
    expect((await byKey.send('PUT', `/item/${id}/chunk/0`, car)).status).toBe(403)
    expect((await tus.patch(id, 0, car)).status).toBe(204)
    expect((await byKey.send('POST', `/item/${id}/merge`)).status).toBe(403)
    const listed = await byKey.sendJson('POST', '/item/merge', { items: [id] })
    expect(await listed.json()).toMatchObject({ items: [{ id, code: 'key_not_taken' }] })
    expect(await isServed(cid)).toBe(false)
    expect((await merge(id)).status).toBe(200)
  })

  it('tells who waits for it that it is stored, once, however often it is merged', async () => {
    const dag = new DagFixture()
    const id = await upload(await carOf(dag, [await dag.addFile(randomBytes(300_000))]))
    await merge(id)
    expect((await merge(id)).body).toMatchObject({ status: '200 OK', name: 'import.car' })
    const { results } = await env.DB.prepare("SELECT 1 FROM events WHERE type = 'item.stored' AND subject = ?")
      .bind(id)
      .all()
    expect(results).toHaveLength(1)
  })

  it('may be larger than a request body', async () => {
    const response = await begin(MAX_CAR_BYTES + MIB)
    expect(response.status).toBe(201)
    await tus.terminate(idOf(response))
  })

  it('is refused at its merge, with nothing of it readable, when one block does not match its CID', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile(randomBytes(1_500_000))
    const bad = { cid: CID.createV1(0x55, await sha256.digest(randomBytes(32))), bytes: new Uint8Array([1, 2, 3]) }
    const good = dag.order.map((each) => ({ cid: each, bytes: dag.blocks.get(blockName(each)) ?? new Uint8Array() }))
    const id = await upload(await writeCar([cid], [...good, bad]))
    const refused = { status: 422, body: { code: 'block_mismatch' } }
    expect(await merge(id)).toMatchObject(refused)
    expect(await merge(id)).toMatchObject(refused)
    for (const each of dag.order) expect(await isServed(each)).toBe(false)
    expect((await tus.terminate(id)).status).toBe(204)
  })

  it('is refused at its merge when it is cut off, no CAR, or without the block of its root', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile(randomBytes(50_000))
    const car = await carOf(dag, [cid])
    const missing = CID.createV1(0x55, await sha256.digest(randomBytes(8)))
    const rootless = await carOf(dag, [missing])
    for (const bytes of [car.slice(0, -10), new TextEncoder().encode('no CAR '.repeat(700)), rootless]) {
      const id = await upload(Uint8Array.from(bytes))
      expect(await merge(id)).toMatchObject({ status: 422, body: { code: 'invalid_car' } })
      await tus.terminate(id)
    }
    expect(await isServed(cid)).toBe(false)
  })

  it('stays unread when its root is on the denylist', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile(randomBytes(10_000))
    const denied = await api.sendJson('PUT', '/denied', { kind: 'cid', value: String(cid), reason: 'a test' })
    expect(denied.status).toBe(204)
    const id = await upload(await carOf(dag, [cid]))
    expect((await merge(id)).status).toBe(200)
    for (const path of [`/ipfs/${cid}`, `/v0/content/${id}`]) expect((await fetchApi('GET', path)).status).toBe(451)
  })

  it('may not be larger than an item, and counts among the unpaid bytes of the account', async () => {
    expect((await begin(2 ** 30 + 1)).status).toBe(413)
    const other = callApi((await signIn('admin')).headers)
    for (let gib = 0; gib < 10; gib++) expect((await begin(2 ** 30, {}, other)).status).toBe(201)
    const over = await begin(100, {}, other)
    expect(over.status).toBe(409)
    expect(await over.json()).toMatchObject({ code: 'quota_exceeded' })
  })

  it('needs the permission to import', async () => {
    const user = callApi((await signIn('user')).headers)
    const response = await begin(100, {}, user)
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'permission_missing' })
  })

  it.each([
    ['an unknown kind', { kind: 'zip' }, 'kind', 100],
    ['a chain', { blockchain: 'Bitcoin' }, 'blockchain', 100],
    ['a folder', { folder: 'a'.repeat(24) }, 'folder', 100],
    ['no byte', {}, 'Upload-Length', 0],
  ])('is refused with %s', async (_, pairs, field, size) => {
    const response = await begin(size, pairs)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'invalid_field', message: expect.stringContaining(field) })
  })
})
