import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { beforeAll, describe, expect, it } from 'vitest'
import { publishBlocks } from '../../../../worker/content/ipfs/blocks/pending-blocks.ts'
import { signIn } from '../../sign-in.ts'
import { type Api, callApi, noise, uploadItem } from './api.ts'

const MIB = 2 ** 20

let api: Api
beforeAll(async () => {
  api = callApi((await signIn()).headers)
})

type Content = Uint8Array<ArrayBuffer>
const text = (words: string): Content => Uint8Array.from(new TextEncoder().encode(words))
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const own = (path: string, content: Uint8Array) => ({ path, size: content.length, sha256: hashOf(content) })

let folders = 0
async function makeFolder(caller: Api, parent?: string, name = `folder ${++folders}`): Promise<string> {
  const response = await caller.sendJson('POST', '/folder', { name, blockchain: 'IPFS', parent })
  return (await response.json<{ id: string }>()).id
}

interface Merged {
  id: string
  cid: string
  storedSize: number
  status: string
}
async function merge(caller: Api, path: string): Promise<Merged> {
  const response = await caller.send('POST', `${path}/merge`)
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return await response.json()
}

/** Makes what was merged readable, as when it was paid for. */
async function storeItem({ id, cid }: Merged): Promise<void> {
  while (!(await publishBlocks(env.BUCKET, id, CID.parse(cid))).done);
  await env.DB.prepare('UPDATE items SET status = 200 WHERE id = ?1 OR part_of = ?1').bind(id).run()
}

/** A stored file of this content. */
async function storeFile(caller: Api, content: Content): Promise<void> {
  await storeItem(await merge(caller, `/item/${await uploadItem(caller, content, { blockchain: 'IPFS' })}`))
}

async function known(caller: Api, folder: string, files: unknown): Promise<string[]> {
  const response = await caller.sendJson('POST', `/folder/${folder}/known`, { files })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json<{ known: string[] }>()).known
}

describe('POST /v0/folder/<id>/known', () => {
  it('links what the caller’s stored items hold: the directory is the same as if it had been sent, and costs less', async () => {
    const [large, small, fresh] = [noise(3 * MIB + 7, 5), text('small'), text('<h1>new</h1>')]
    await storeFile(api, large)
    await storeFile(api, small)
    const sent = await makeFolder(api)
    for (const [name, content] of [
      ['film.bin', large],
      ['small.txt', small],
      ['index.html', fresh],
    ] as const) {
      await uploadItem(api, content, { blockchain: 'IPFS', folder: sent, name })
    }
    const whole = await merge(api, `/folder/${sent}`)

    const linked = await makeFolder(api)
    const files = [own('film.bin', large), own('small.txt', small), own('index.html', fresh)]
    expect(await known(api, linked, files)).toEqual(['film.bin', 'small.txt'])
    await uploadItem(api, fresh, { blockchain: 'IPFS', folder: linked, name: 'index.html' })
    const directory = await merge(api, `/folder/${linked}`)
    expect(directory.cid).toBe(whole.cid)
    expect(whole.storedSize - directory.storedSize).toBeGreaterThan(large.length + small.length - 1)
    expect(directory.storedSize).toBeLessThan(1000)

    await storeItem(directory)
    const read = await api.send('GET', `/../ipfs/${directory.cid}/film.bin`)
    expect(hashOf(new Uint8Array(await read.arrayBuffer()))).toBe(hashOf(large))
  })

  it('knows the files of stored directories too, and puts them into folders below', async () => {
    const content = text('in a directory')
    const first = await makeFolder(api)
    await uploadItem(api, content, { blockchain: 'IPFS', folder: first, name: 'a.txt' })
    await storeItem(await merge(api, `/folder/${first}`))
    const second = await makeFolder(api)
    await makeFolder(api, await makeFolder(api, second, 'css'), 'deep')
    expect(await known(api, second, [own('css/deep/b.txt', content)])).toEqual(['css/deep/b.txt'])
    await merge(api, `/folder/${second}`)
    const rows = env.DB.prepare('SELECT cid, sha256 FROM items WHERE sha256 = ?').bind(hashOf(content))
    const [source, link] = (await rows.all<{ cid: string }>()).results
    expect(link?.cid).toBe(source?.cid)
  })

  it('changes nothing when it is repeated, and leaves alone what lies there under the same name', async () => {
    const content = text('twice')
    await storeFile(api, content)
    const folder = await makeFolder(api)
    await uploadItem(api, text('mine'), { blockchain: 'IPFS', folder, name: 'taken.txt' })
    const files = [own('a.txt', content), own('taken.txt', content)]
    expect(await known(api, folder, files)).toEqual(['a.txt'])
    expect(await known(api, folder, files)).toEqual(['a.txt'])
    const { results } = await env.DB.prepare('SELECT id FROM items WHERE folder_id = ?').bind(folder).all()
    expect(results).toHaveLength(2)
  })

  it('U5: looks at nothing of anybody else, and at nothing that is not stored', async () => {
    const [theirs, unpaid] = [text('somebody else’s'), text('not paid for')]
    const other = callApi((await signIn()).headers)
    await storeFile(other, theirs)
    await merge(api, `/item/${await uploadItem(api, unpaid, { blockchain: 'IPFS' })}`)
    const folder = await makeFolder(api)
    expect(await known(api, folder, [own('a', theirs), own('b', unpaid)])).toEqual([])
    const foreign = await other.sendJson('POST', `/folder/${folder}/known`, { files: [own('a', theirs)] })
    expect(foreign.status).toBe(404)
  })

  it('U6: lets a linked file be merged with its folder only', async () => {
    const content = text('alone')
    await storeFile(api, content)
    const folder = await makeFolder(api)
    await known(api, folder, [own('a.txt', content)])
    const row = await env.DB.prepare('SELECT id FROM items WHERE folder_id = ?').bind(folder).first<{ id: string }>()
    const response = await api.send('POST', `/item/${row?.id}/merge`)
    expect([response.status, (await response.json<{ code: string }>()).code]).toEqual([409, 'linked_file'])
    expect(await (await api.send('GET', '/upload')).json()).not.toMatchObject({ uploads: [{ id: row?.id }] })
  })

  it('U6: takes no bytes for a linked file or a directory, by whichever way they come', async () => {
    const content = text('linked, and not to be changed')
    await storeFile(api, content)
    const folder = await makeFolder(api)
    await known(api, folder, [own('a.txt', content)])
    const row = await env.DB.prepare('SELECT id FROM items WHERE folder_id = ?').bind(folder).first<{ id: string }>()
    const part = { 'Tus-Resumable': '1.0.0', 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }
    const ask = async (id: string | undefined) => [
      (await api.send('PATCH', `/upload/${id}`, text('x'), part)).status,
      (await api.send('PATCH', `/upload/${id}`, undefined, part)).status,
      (await api.send('HEAD', `/upload/${id}`, undefined, { 'Tus-Resumable': '1.0.0' })).status,
      (await api.send('PUT', `/item/${row?.id}/chunk/0`, text('x'))).status,
    ]
    expect(await ask(row?.id)).toEqual([404, 404, 404, 404])
    const { id } = await merge(api, `/folder/${folder}`)
    expect((await ask(id)).slice(0, 3)).toEqual([404, 404, 404])
    expect((await env.BUCKET.list({ prefix: `chunks/${row?.id}` })).objects).toEqual([])
  })

  const file = own('a.txt', text('x'))
  const refusals: [string, unknown, number, string][] = [
    ['no list', 'x', 400, 'files'],
    ['an empty list', [], 400, 'files'],
    ['a path twice', [file, file], 400, 'each path once'],
    ['no hash', [{ ...file, sha256: 'x' }], 400, 'files[0].sha256'],
    ['a size below nothing', [{ ...file, size: -1 }], 400, 'files[0].size'],
    ['a path into a folder that is not there', [{ ...file, path: 'no/a.txt' }], 400, 'Make that folder first'],
    ['more files than a directory may have', Array(2001).fill(file), 400, '2000'],
  ]
  for (const [what, files, status, words] of refusals) {
    it(`refuses ${what}`, async () => {
      const response = await api.sendJson('POST', `/folder/${await makeFolder(api)}/known`, { files })
      expect(response.status).toBe(status)
      expect((await response.json<{ message: string }>()).message).toContain(words)
    })
  }

  it('refuses a folder of a chain, and one that is merged', async () => {
    const chain = await api.sendJson('POST', '/folder', { name: 'c', blockchain: 'Bitcoin' })
    const { id } = await chain.json<{ id: string }>()
    expect((await api.sendJson('POST', `/folder/${id}/known`, { files: [file] })).status).toBe(400)
    const merged = await makeFolder(api)
    await uploadItem(api, text('m'), { blockchain: 'IPFS', folder: merged })
    await merge(api, `/folder/${merged}`)
    expect((await api.sendJson('POST', `/folder/${merged}/known`, { files: [file] })).status).toBe(409)
  })
})
