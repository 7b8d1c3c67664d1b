import { env } from 'cloudflare:workers'
import { CID } from 'multiformats/cid'
import { beforeAll, describe, expect, it } from 'vitest'
import { publishBlocks } from '../../../../../worker/content/ipfs/blocks/pending-blocks.ts'
import { selectItem } from '../../../../../worker/features/items/sql/items.ts'
import { sweepItems } from '../../../../../worker/features/items/sweep.ts'
import { readConfig } from '../../../../../worker/platform/config/read-config.ts'
import { signIn } from '../../../sign-in.ts'
import { type Api, callApi, createItem, noise, uploadItem } from '../api.ts'

const MIB = 1024 * 1024

let api: Api
beforeAll(async () => {
  api = callApi((await signIn()).headers)
})

const text = (words: string) => Uint8Array.from(new TextEncoder().encode(words))
const merge = async (path: string): Promise<Record<string, unknown>> => {
  const response = await api.send('POST', `${path}/merge`)
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return await response.json()
}
async function createFolder(fields: { name: string; parent?: string; blockchain?: string }): Promise<string> {
  const response = await api.sendJson('POST', '/folder', { blockchain: 'IPFS', ...fields })
  const { id }: { id: string } = await response.json()
  return id
}
const pendingKeys = async (id: string) =>
  (await env.BUCKET.list({ prefix: `ipfs/pending/${id}/` })).objects.map(({ key }) => key)
const read = async (path: string) => (await api.send('GET', `/..${path}`)).text()

async function publish(id: string, cid: string): Promise<void> {
  while (!(await publishBlocks(env.BUCKET, id, CID.parse(cid))).done);
}

describe('merging a file for IPFS', () => {
  it('finds the CID that other implementations give the same bytes, and keeps the blocks apart until it is paid', async () => {
    const id = await uploadItem(api, text('hello'), { blockchain: 'IPFS' })
    const item = await merge(`/item/${id}`)
    const cid = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
    expect(item).toMatchObject({
      status: '402 Payment Required',
      cid,
      size: 5,
      storedSize: 5,
      transactions: 0,
      links: { web: null },
      embed: null,
    })
    expect(await pendingKeys(id)).toHaveLength(1)
  })

  it('cuts a large file into leaves of 1 MiB under one root', async () => {
    const content = noise(3 * MIB + 5)
    const id = await uploadItem(api, content, { blockchain: 'IPFS' })
    const { cid, storedSize } = await merge(`/item/${id}`)
    expect(await pendingKeys(id)).toHaveLength(5)
    expect(storedSize).toBeGreaterThan(content.length)
    await publish(id, String(cid))
    const response = await api.send('GET', `/../ipfs/${cid}`)
    expect(Buffer.compare(new Uint8Array(await response.arrayBuffer()), content)).toBe(0)
  })

  it('drops the blocks of an item that is deleted', async () => {
    const id = await uploadItem(api, text('gone'), { blockchain: 'IPFS' })
    await merge(`/item/${id}`)
    expect((await api.send('DELETE', `/item/${id}`)).status).toBe(204)
    await sweepItems(env, Date.now())
    expect(await pendingKeys(id)).toEqual([])
  })
})

describe('merging a folder', () => {
  it('gives the same id for the same name in the same place, and another elsewhere', async () => {
    const top = await createFolder({ name: 'same' })
    expect(await createFolder({ name: 'same' })).toBe(top)
    expect(await createFolder({ name: 'same', parent: top })).not.toBe(top)
    expect(await createFolder({ name: 'same', blockchain: 'Bitcoin' })).not.toBe(top)
  })

  it('makes one directory of all that is in it, files merged before included', async () => {
    const site = await createFolder({ name: 'site' })
    const images = await createFolder({ name: 'images', parent: site })
    const page = await uploadItem(api, text('<h1>home</h1>'), {
      name: 'index.html',
      mimetype: 'text/html',
      blockchain: 'IPFS',
      folder: site,
    })
    const image = await uploadItem(api, noise(MIB + 1), { name: 'a b.png', blockchain: 'IPFS', folder: images })
    await merge(`/item/${page}`)
    const item = await merge(`/folder/${site}`)
    expect(item).toMatchObject({
      name: 'site',
      status: '402 Payment Required',
      size: 13 + MIB + 1,
      cid: expect.stringMatching(/^bafy/),
      transactions: 0,
    })
    const id = String(item.id)
    expect(await merge(`/folder/${site}`)).toEqual(item)
    expect(await merge(`/item/${id}`)).toEqual(item)
    for (const part of [page, image]) {
      expect(await selectItem(env.DB, part)).toMatchObject({ partOf: id, state: 'unpaid', cid: expect.any(String) })
      expect((await api.send('DELETE', `/item/${part}`)).status).toBe(409)
      expect(await pendingKeys(part)).toEqual([])
    }
    expect((await env.BUCKET.list({ prefix: `chunks/${image}` })).objects).toEqual([])
    await publish(id, String(item.cid))
    expect(await read(`/ipfs/${item.cid}/index.html`)).toBe('<h1>home</h1>')
    expect((await api.send('GET', `/../ipfs/${item.cid}/images/a%20b.png`)).status).toBe(200)
    const list: { items: { id: string }[] } = await (await api.send('GET', '/item')).json()
    expect(list.items.map((entry) => entry.id)).toContain(id)
    expect(list.items.map((entry) => entry.id)).not.toContain(page)
  })

  it('lists the chunks that are missing in every file', async () => {
    const folder = await createFolder({ name: 'missing' })
    const { id } = await createItem(api, { name: 'big', blockchain: 'IPFS', folder, size: 2 * MIB })
    await uploadItem(api, text('there'), { name: 'small', blockchain: 'IPFS', folder })
    const response = await api.send('POST', `/folder/${folder}/merge`)
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({
      code: 'chunks_missing',
      missing: [{ id, path: 'big', chunks: [0, 1] }],
    })
  })

  it('is taken back whole when its item is deleted', async () => {
    const folder = await createFolder({ name: 'deleted' })
    const file = await uploadItem(api, text('x'), { blockchain: 'IPFS', folder })
    const { id } = await merge(`/folder/${folder}`)
    expect((await api.send('DELETE', `/item/${id}`)).status).toBe(204)
    expect((await api.send('GET', `/item/${file}`)).status).toBe(404)
    expect(await createFolder({ name: 'deleted' })).not.toBe(folder)
    await sweepItems(env, Date.now())
    await sweepItems(env, Date.now())
    expect(await pendingKeys(String(id))).toEqual([])
    const { results } = await env.DB.prepare('SELECT id FROM items WHERE id IN (?, ?)').bind(id, file).all()
    expect(results).toEqual([])
  })

  it('takes nothing more once it is merged', async () => {
    const folder = await createFolder({ name: 'closed' })
    await uploadItem(api, text('x'), { blockchain: 'IPFS', folder })
    await merge(`/folder/${folder}`)
    const item = { name: 'late', mimetype: 'text/plain', blockchain: 'IPFS', size: 1, folder }
    for (const [path, body] of [
      ['/item', item],
      ['/folder', { name: 'late', blockchain: 'IPFS', parent: folder }],
    ] as const) {
      const response = await api.sendJson('POST', path, body)
      expect([response.status, await response.json()]).toEqual([
        409,
        expect.objectContaining({ code: 'folder_merged' }),
      ])
    }
  })

  const refusals: [string, () => Promise<string>, number, string][] = [
    ['an empty folder', () => createFolder({ name: 'empty' }), 409, 'folder_empty'],
    [
      'two files of one name',
      async () => {
        const folder = await createFolder({ name: 'twice' })
        for (let i = 0; i < 2; i++) await uploadItem(api, text('x'), { name: 'x', blockchain: 'IPFS', folder })
        return folder
      },
      409,
      'names_collide',
    ],
    [
      "somebody else's folder",
      async () => {
        const other = callApi((await signIn()).headers)
        const response = await other.sendJson('POST', '/folder', { name: 'theirs', blockchain: 'IPFS' })
        const { id }: { id: string } = await response.json()
        return id
      },
      404,
      'not_found',
    ],
  ]
  for (const [what, make, status, code] of refusals) {
    it(`refuses ${what}`, async () => {
      const response = await api.send('POST', `/folder/${await make()}/merge`)
      expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ code })])
    })
  }

  it('has a limit to the size of all files together', async () => {
    expect(readConfig(env).maxItemBytes).toBe(2 ** 30)
    const folder = await createFolder({ name: 'large' })
    // Who has paid may have so many bytes that are not paid for.
    await env.DB.prepare(
      `INSERT INTO ledger (user_id, blockchain, seq, amount, balance, cause, created_at)
       SELECT user_id, 'Nativecoin', 1, '1000000000', '1000000000', 'output:large:0', ? FROM folders WHERE id = ?`,
    )
      .bind(Date.now(), folder)
      .run()
    for (const name of ['a', 'b']) await createItem(api, { name, blockchain: 'IPFS', folder, size: 2 ** 29 + 1 })
    const response = await api.send('POST', `/folder/${folder}/merge`)
    expect([response.status, await response.json()]).toEqual([
      422,
      expect.objectContaining({ code: 'content_too_large' }),
    ])
  })
})
