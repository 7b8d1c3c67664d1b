import { env } from 'cloudflare:workers'
import { brotliDecompressSync } from 'node:zlib'
import { CarBufferReader } from '@ipld/car/buffer-reader'
import { beforeAll, describe, expect, it } from 'vitest'
import { CODEC } from '../../../../../protocol/cid.ts'
import { scanNode } from '../../../../../reader/unixfs/scan-node.ts'
import { sweepItems } from '../../../../../worker/features/items/sweep.ts'
import { signIn } from '../../../sign-in.ts'
import { type Api, callApi, noise, uploadItem } from '../api.ts'

let api: Api
beforeAll(async () => {
  api = callApi((await signIn()).headers)
})

const text = (words: string) => Uint8Array.from(new TextEncoder().encode(words))

async function createFolder(fields: { name: string; parent?: string }, blockchain: string): Promise<string> {
  const { id }: { id: string } = await (await api.sendJson('POST', '/folder', { blockchain, ...fields })).json()
  return id
}

/** A folder with a page twice, a picture of several blocks in a folder below, and a folder that nothing is in. */
async function uploadSite(blockchain: 'Nativecoin' | 'IPFS', name: string): Promise<string> {
  const root = await createFolder({ name }, blockchain)
  const images = await createFolder({ name: 'images', parent: root }, blockchain)
  await createFolder({ name: 'empty', parent: images }, blockchain)
  const add = (path: string, content: Uint8Array<ArrayBuffer>, folder: string) =>
    uploadItem(api, content, { name: path, mimetype: 'text/html', blockchain, folder })
  await add('index.html', text('<h1>home</h1>'), root)
  await add('again.html', text('<h1>home</h1>'), root)
  await add('large.png', noise((1 << 20) + 5), images)
  return root
}

async function merge(folder: string): Promise<Record<string, unknown>> {
  let response = await api.send('POST', `/folder/${folder}/merge`)
  // A busy machine takes longer than one request waits for.
  while (response.status === 202) response = await api.send('POST', `/folder/${folder}/merge`)
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return await response.json()
}

async function storedCar(id: unknown): Promise<CarBufferReader> {
  const object = await env.BUCKET.get(`stored/${id}`)
  if (!object) throw new Error('nothing is stored')
  return CarBufferReader.fromBytes(brotliDecompressSync(await object.arrayBuffer()))
}

const keysOf = async (prefix: string) => (await env.BUCKET.list({ prefix })).objects.map(({ key }) => key)

describe('merging a folder for a chain', () => {
  it('makes one item of the CID that it has on IPFS, priced by its transactions', async () => {
    const item = await merge(await uploadSite('Nativecoin', 'priced'))
    const { cid } = await merge(await uploadSite('IPFS', 'priced'))
    expect(item).toMatchObject({ blockchain: 'Nativecoin', mimetype: 'inode/directory', cid, files: 3 })
    expect(item).toMatchObject({ status: '402 Payment Required', size: 2 * 13 + (1 << 20) + 5 })
    const stored = await env.BUCKET.head(`stored/${item.id}`)
    // Its index is one of them.
    expect(item).toMatchObject({ storedSize: stored?.size, transactions: Math.ceil((stored?.size ?? 0) / 99_000) + 1 })
  })

  it('stores a CAR of one root, directories before files, without a block twice', async () => {
    const item = await merge(await uploadSite('Nativecoin', 'ordered'))
    const car = await storedCar(item.id)
    expect(car.getRoots().map(String)).toEqual([item.cid])
    const blocks = car.blocks()
    const kinds = blocks.map(({ cid, bytes }) => (cid.code === CODEC.dagPb ? scanNode(bytes).head.kind : 'leaf'))
    expect(kinds).toEqual(['directory', 'directory', 'directory', 'leaf', 'leaf', 'leaf', 'file'])
    expect(String(blocks[0]?.cid)).toBe(item.cid)
    expect(new Set(blocks.map(({ cid }) => String(cid))).size).toBe(blocks.length)
  })

  it('leaves nothing beside what waits for the payment, and nothing at all once it is deleted', async () => {
    const { id } = await merge(await uploadSite('Nativecoin', 'tidy'))
    expect(await keysOf('cars/')).toEqual([])
    expect(await keysOf(`ipfs/pending/${id}`)).toHaveLength(7)
    expect((await api.send('DELETE', `/item/${id}`)).status).toBe(204)
    await sweepItems(env, Date.now())
    expect([...(await keysOf(`stored/${id}`)), ...(await keysOf(`ipfs/pending/${id}`))]).toEqual([])
  })

  it('refuses a folder that is too large for a chain before anything is paid, and names IPFS', async () => {
    const folder = await createFolder({ name: 'large' }, 'Nativecoin')
    const size = (1 << 24) + 1
    for (const name of ['a', 'b']) {
      const made = await api.sendJson('POST', '/item', {
        name,
        mimetype: 'text/plain',
        blockchain: 'Nativecoin',
        size,
        folder,
      })
      expect(made.status).toBe(201)
    }
    const refused = await api.send('POST', `/folder/${folder}/merge`)
    expect(refused.status).toBe(422)
    expect(await refused.json()).toMatchObject({
      code: 'content_too_large',
      message: expect.stringContaining('IPFS would take them'),
    })
  })

  it('refuses for good what takes more than the chain holds once it is compressed', async () => {
    const folder = await createFolder({ name: 'incompressible' }, 'Bitcoin')
    await uploadItem(api, noise(1_300_000), { name: 'noise', blockchain: 'Bitcoin', folder })
    for (const _ of ['first', 'again']) {
      let refused = await api.send('POST', `/folder/${folder}/merge`)
      while (refused.status === 202) refused = await api.send('POST', `/folder/${folder}/merge`)
      expect(refused.status).toBe(422)
      expect(await refused.json()).toMatchObject({ code: 'too_many_transactions' })
    }
  })

  it('does not take a file that is merged by itself, of which only Brotli is left', async () => {
    const folder = await createFolder({ name: 'merged' }, 'Nativecoin')
    const file = await uploadItem(api, text('one'), { name: 'one.txt', blockchain: 'Nativecoin', folder })
    expect((await api.send('POST', `/item/${file}/merge`)).status).toBe(200)
    const refused = await api.send('POST', `/folder/${folder}/merge`)
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({ code: 'file_taken' })
  })
})
