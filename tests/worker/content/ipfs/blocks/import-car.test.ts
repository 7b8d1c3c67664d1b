import { env } from 'cloudflare:test'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { blockName } from '../../../../../worker/content/ipfs/blocks/block-key.ts'
import { sweepImports } from '../../../../../worker/content/ipfs/blocks/import-car.ts'
import { fetchApi } from '../../../fetch-api.ts'
import { signIn } from '../../../sign-in.ts'
import { DagFixture, randomBytes } from '../dag-fixture.ts'
import { carOf, writeCar } from '../write-car.ts'

const CAR = { 'Content-Type': 'application/vnd.ipld.car' }

const send = async (body: unknown, options: { token?: string; headers?: Record<string, string> } = {}) =>
  fetchApi('POST', '/v0/ipfs', {
    body,
    token: options.token ?? (await signIn('admin')).token,
    headers: options.headers ?? CAR,
  })

const isServed = async (cid: CID) => {
  const headers = { 'Cache-Control': 'only-if-cached' }
  const response = await fetchApi('GET', `/ipfs/${cid}?format=raw`, { headers })
  await response.arrayBuffer()
  return response.status === 200
}

describe('POST /v0/ipfs', () => {
  it('imports the blocks of a CAR, which are then served', async () => {
    const dag = new DagFixture()
    const bytes = randomBytes(2_200_000)
    const cid = await dag.addFile(bytes)
    const response = await send(await carOf(dag, [cid]))
    expect(response.status).toBe(201)
    const size = [...dag.blocks.values()].reduce((sum, block) => sum + block.length, 0)
    expect(await response.json()).toEqual({ roots: [String(cid)], blocks: 4, bytes: size })
    const served = await fetchApi('GET', `/ipfs/${cid}`)
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(bytes)
    const { objects } = await env.BUCKET.list({ prefix: 'ipfs/imports/' })
    expect(objects).toEqual([])
  })

  it('imports again what is there already', async () => {
    const dag = new DagFixture()
    const car = await carOf(dag, [await dag.addFile('twice')])
    expect((await send(car)).status).toBe(201)
    expect((await send(car)).status).toBe(201)
  })

  it('takes a CAR that is sent as plain bytes, by a client that knows no other type', async () => {
    const dag = new DagFixture()
    const car = await carOf(dag, [await dag.addFile('plain bytes')])
    expect((await send(car, { headers: { 'Content-Type': 'application/octet-stream' } })).status).toBe(201)
  })

  it('takes a body that does not say its length', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile(randomBytes(100_000))
    const car = await carOf(dag, [cid])
    const response = await send(new Blob([car]).stream())
    expect(response.status).toBe(201)
    expect(await isServed(cid)).toBe(true)
  })

  it('keeps nothing of a CAR with one block that does not match its CID', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile(randomBytes(1_500_000))
    const other = await sha256.digest(randomBytes(32))
    const good = dag.order.map((each) => ({ cid: each, bytes: dag.blocks.get(blockName(each)) ?? new Uint8Array() }))
    const bad = { cid: CID.createV1(0x55, other), bytes: new Uint8Array([1, 2, 3]) }
    const response = await send(await writeCar([cid], [...good, bad]))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'block_mismatch' })
    for (const each of dag.order) expect(await isServed(each)).toBe(false)
    const { objects } = await env.BUCKET.list({ prefix: 'ipfs/imports/' })
    expect(objects).toEqual([])
  })

  it('checks identity blocks and does not store them', async () => {
    const bytes = new TextEncoder().encode('hello')
    const cid = CID.createV1(0x55, identity.digest(bytes))
    expect((await send(await writeCar([cid], [{ cid, bytes }]))).status).toBe(201)
    const forged = await send(await writeCar([cid], [{ cid, bytes: new Uint8Array(5) }]))
    expect(await forged.json()).toMatchObject({ code: 'block_mismatch' })
  })

  const refusals: [string, () => Promise<Response> | Response, number, string][] = [
    ['is no CAR', () => send(new TextEncoder().encode('hello')), 400, 'invalid_car'],
    ['is empty', () => send(new Uint8Array(0)), 400, 'invalid_car'],
    [
      'has another media type',
      () => send(new Uint8Array(4), { headers: { 'Content-Type': 'text/plain' } }),
      415,
      'unsupported_media_type',
    ],
    [
      'says that it is too long',
      () => send(new Uint8Array(4), { headers: { ...CAR, 'Content-Length': '100000001' } }),
      413,
      'body_too_large',
    ],
    [
      'comes from a user without the permission',
      async () => send(new Uint8Array(4), { token: (await signIn('user')).token }),
      403,
      'permission_missing',
    ],
    [
      'comes without a token',
      () => fetchApi('POST', '/v0/ipfs', { body: new Uint8Array(4), headers: CAR }),
      401,
      'token_missing',
    ],
  ]
  it.each(refusals)('refuses a body that %s', async (_, request, status, code) => {
    const response = await request()
    expect([response.status, await response.json()]).toMatchObject([status, { code }])
  })

  it('refuses a CAR that is cut off', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile(randomBytes(50_000))
    const car = await carOf(dag, [cid])
    const response = await send(car.slice(0, -10))
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid_car' }])
    expect(await isServed(cid)).toBe(false)
  })

  it('refuses a block longer than blocks may be before reading it', async () => {
    const bytes = new Uint8Array(3 * 1024 * 1024)
    const cid = CID.createV1(0x55, await sha256.digest(bytes))
    const response = await send(await writeCar([cid], [{ cid, bytes }]))
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'block_too_large' }])
  })

  it('refuses a hash function that cannot be checked', async () => {
    const digest = await sha256.digest(new Uint8Array(1))
    const md5 = CID.decode(new Uint8Array([1, 0x55, 0xd5, 0x01, 16, ...digest.digest.slice(0, 16)]))
    const response = await send(await writeCar([md5], [{ cid: md5, bytes: new Uint8Array(1) }]))
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'unsupported_hash' }])
  })

  it('is a 405 for other methods', async () => {
    const response = await fetchApi('GET', '/v0/ipfs')
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST'])
  })
})

describe('an import that died', () => {
  it('is forgotten after a day', async () => {
    await env.BUCKET.put('ipfs/imports/dead', 'x')
    await sweepImports(env.BUCKET, Date.now() + 3_600_000)
    expect(await env.BUCKET.head('ipfs/imports/dead')).not.toBeNull()
    await sweepImports(env.BUCKET, Date.now() + 90_000_000)
    expect(await env.BUCKET.head('ipfs/imports/dead')).toBeNull()
  })
})
