import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { beforeEach, describe, expect, it } from 'vitest'
import type { KnownItem } from '../../../../contract/item.ts'
import type { StorageTarget } from '../../../../protocol/chains.ts'
import { folderManifest } from '../../../../protocol/folder-manifest.ts'
import { objectId } from '../../../../protocol/object-id.ts'
import { publishBlocks } from '../../../../worker/content/ipfs/blocks/pending-blocks.ts'
import { add, runSql } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { askPayment, mergedItem } from '../payments/pay-for-items.ts'
import { type Api, callApi, noise, prose } from './api.ts'

const chain = useDevnet()

let api: Api
beforeEach(async () => {
  api = callApi((await signIn()).headers)
})

type Content = Uint8Array<ArrayBuffer>
const text = (words: string): Content => Uint8Array.from(Buffer.from(words))
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const own = (content: Uint8Array, mimetype = 'text/plain') => ({
  size: content.length,
  sha256: hashOf(content),
  mimetype,
})

async function ask(body: unknown, caller = api) {
  const response = await caller.sendJson('POST', '/item/known', body)
  return { status: response.status, body: await response.json<{ known: KnownItem[]; code?: string }>() }
}

/** What is known of these contents. */
async function known(blockchain: StorageTarget, contents: readonly Content[], caller = api): Promise<KnownItem[]> {
  return (await ask({ blockchain, files: contents.map((content) => own(content)) }, caller)).body.known
}

async function setStatus(id: string, status: number): Promise<void> {
  await runSql('UPDATE items SET status = ?2 WHERE id = ?1 OR part_of = ?1', id, status)
}

async function mergedFolder(files: Readonly<Record<string, Content>>, name = crypto.randomUUID()): Promise<string> {
  const made = await api.sendJson('POST', '/folder', { name, blockchain: 'IPFS' })
  const { id } = await made.json<{ id: string }>()
  for (const [path, content] of Object.entries(files)) await putInto(id, path, content)
  const merged = await api.send('POST', `/folder/${id}/merge`)
  if (merged.status !== 200) throw new Error(await merged.text())
  return (await merged.json<{ id: string }>()).id
}

async function putInto(folder: string, name: string, content: Content): Promise<void> {
  const file = { name, mimetype: 'text/plain', blockchain: 'IPFS', size: content.length, folder }
  const { id } = await (await api.sendJson('POST', '/item', file)).json<{ id: string }>()
  if (content.length > 0) await api.send('PUT', `/item/${id}/chunk/0`, content)
}

const manifestOf = (files: Readonly<Record<string, Content>>) =>
  hashOf(
    folderManifest(
      Object.entries(files).map(([path, content]) => ({ path, size: content.length, sha256: hashOf(content) })),
    ),
  )

describe('POST /v0/item/known', () => {
  it.each<[StorageTarget, string, Content]>([
    ['Nativecoin', 'small text', text('a small text')],
    ['Nativecoin', 'text that is merged by its own object', prose(50_000)],
    ['Bitcoin', 'bytes that are stored as they are', noise(20_000)],
    ['Dogecoin', 'an empty file', text('')],
    ['IPFS', 'a file of several chunks', noise(2 ** 20 + 3, 7)],
    ['IPFS', 'an empty file', text('')],
  ])('finds on %s what was merged: %s', async (blockchain, _, content) => {
    const id = await mergedItem(api, blockchain, content)
    expect(await known(blockchain, [text('something else'), content])).toEqual([
      { index: 1, id, status: '402 Payment Required' },
    ])
  })

  it('finds files of small items that are merged together', async () => {
    const contents = [text('one'), text('two')]
    const files = contents.map(({ length: size }, index) => {
      return { name: `${index}`, mimetype: 'text/plain', blockchain: 'Nativecoin', size }
    })
    const made = await api.sendJson('POST', '/item', { items: files })
    const ids = (await made.json<{ items: { id: string }[] }>()).items.map(({ id }) => id)
    for (const [index, content] of contents.entries()) await api.send('PUT', `/item/${ids[index]}/chunk/0`, content)
    await api.sendJson('POST', '/item/merge', { items: ids })
    expect((await known('Nativecoin', contents)).map(({ id }) => id)).toEqual(ids)
  })

  it('tells of the request that an unpaid item waits in, and of no address once it is paid', async () => {
    const [first, second] = [text('first'), text('second')]
    const ids = [await mergedItem(api, 'Bitcoin', first), await mergedItem(api, 'Bitcoin', second)]
    const { address, amount, expiresAt, confirmations } = await askPayment(api, ids, 'Bitcoin')
    const payment = { address, items: 2, expiresAt }
    expect(await known('Bitcoin', [second, first])).toEqual([
      { index: 0, id: ids[1], status: '402 Payment Required', payment },
      { index: 1, id: ids[0], status: '402 Payment Required', payment },
    ])
    chain.pay('Bitcoin', address, amount)
    await chain.confirm('Bitcoin', Number(confirmations))
    expect(await known('Bitcoin', [first])).toEqual([{ index: 0, id: ids[0], status: '202 Accepted' }])
  })

  it('names what is paid before what is not, and of those the newest', async () => {
    const content = text('stored several times')
    const ids: string[] = []
    for (let times = 0; times < 4; times++) ids.push(await mergedItem(api, 'Bitcoin', content))
    for (const [age, id] of ids.entries()) {
      await runSql('UPDATE items SET created_at = ?2 WHERE id = ?1', id, 1000 + age)
    }
    const [oldest = '', older = '', newer = '', newest = ''] = ids
    expect((await known('Bitcoin', [content]))[0]?.id).toBe(newest)
    await setStatus(oldest, 202)
    await setStatus(older, 200)
    expect((await known('Bitcoin', [content]))[0]?.id).toBe(older)
    await setStatus(older, 409)
    await setStatus(newer, 409)
    expect((await known('Bitcoin', [content]))[0]?.id).toBe(oldest)
  })

  it('takes only what matches in target, size, hash and media type, and is neither being uploaded nor gone', async () => {
    const content = text('matches in everything')
    const id = await mergedItem(api, 'Bitcoin', content)
    const file = own(content)
    const ids = async (body: unknown) => (await ask(body)).body.known.map((item) => item.id)
    expect(await ids({ blockchain: 'Bitcoin', files: [{ ...file, sha256: file.sha256.toUpperCase() }] })).toEqual([id])
    expect(await ids({ blockchain: 'Dogecoin', files: [file] })).toEqual([])
    expect(await ids({ blockchain: 'Bitcoin', files: [{ ...file, size: file.size + 1 }] })).toEqual([])
    expect(await ids({ blockchain: 'Bitcoin', files: [{ ...file, mimetype: 'text/html' }] })).toEqual([])
    await api.send('DELETE', `/item/${id}`)
    expect(await ids({ blockchain: 'Bitcoin', files: [file] })).toEqual([])
  })

  it('U5: knows nothing of anybody else', async () => {
    const content = text('mine alone')
    await mergedItem(api, 'Bitcoin', content)
    expect(await known('Bitcoin', [content], callApi((await signIn()).headers))).toEqual([])
  })

  it('names one item for each file of the same content', async () => {
    const content = text('twice in a folder')
    const id = await mergedItem(api, 'Bitcoin', content)
    expect((await known('Bitcoin', [content, text('not'), content])).map((item) => [item.index, item.id])).toEqual([
      [0, id],
      [2, id],
    ])
  })

  it('does not offer what is denied: by its id, its CID or one of its transactions', async () => {
    const admin = callApi((await signIn('admin')).headers)
    const contents = [text('denied by id'), text('denied by CID'), text('allowed')]
    const ids = await Promise.all(contents.map((content) => mergedItem(api, 'IPFS', content)))
    const { cid } = await (await api.send('GET', `/item/${ids[1]}`)).json<{ cid: string }>()
    const onChain = text('denied by txid')
    const written = await mergedItem(api, 'Bitcoin', onChain)
    const txids = ['a'.repeat(64), 'b'.repeat(64)]
    await runSql(`INSERT INTO item_txids (item_id, txids, packed) VALUES (?, '', unhex(?))`, written, txids.join(''))
    await setStatus(written, 200)
    expect(await known('Bitcoin', [onChain])).toHaveLength(1)
    for (const [kind, value] of [
      ['item', ids[0]],
      ['cid', cid],
      ['txid', txids[1]],
    ]) {
      await admin.sendJson('PUT', '/denied', { kind, value, reason: 'a test' })
    }
    expect((await known('IPFS', contents)).map(({ id }) => id)).toEqual([ids[2]])
    expect(await known('Bitcoin', [onChain])).toEqual([])
  })

  it('knows a merged folder by its manifest, and its files once they are stored', async () => {
    const files = { 'b.txt': text('b'), 'a.txt': text('a'), empty: text(''), 'Ä.txt': text('umlaut') }
    const id = await mergedFolder(files)
    const manifest = manifestOf(files)
    const asked = { blockchain: 'IPFS', manifest, files: [own(text('b'))] }
    expect((await ask(asked)).body.known).toEqual([{ id, status: '402 Payment Required' }])
    expect((await ask({ ...asked, blockchain: 'Bitcoin' })).body.known).toEqual([])
    await setStatus(id, 200)
    expect((await ask(asked)).body.known).toEqual([
      { id, status: '200 OK' },
      { index: 0, id: expect.any(String), status: '200 OK' },
    ])
    const other = manifestOf({ ...files, 'a.txt': text('A') })
    expect((await ask({ blockchain: 'IPFS', manifest: other })).body.known).toEqual([])
  })

  it('knows a folder of which files are linked from stored items', async () => {
    const content = text('linked into the folder')
    const source = await mergedItem(api, 'IPFS', content)
    const { cid } = await (await api.send('GET', `/item/${source}`)).json<{ cid: string }>()
    while (!(await publishBlocks(env.BUCKET, source, CID.parse(cid))).done);
    await setStatus(source, 200)
    const made = await api.sendJson('POST', '/folder', { name: 'links', blockchain: 'IPFS' })
    const { id: folder } = await made.json<{ id: string }>()
    const linked = [{ path: 'linked.txt', size: content.length, sha256: hashOf(content) }]
    expect(await (await api.sendJson('POST', `/folder/${folder}/known`, { files: linked })).json()).toEqual({
      known: ['linked.txt'],
    })
    await putInto(folder, 'new.txt', text('new'))
    const { id } = await (await api.send('POST', `/folder/${folder}/merge`)).json<{ id: string }>()
    const manifest = manifestOf({ 'linked.txt': content, 'new.txt': text('new') })
    expect((await ask({ blockchain: 'IPFS', manifest })).body.known.map((item) => item.id)).toEqual([id])
  })

  it('tells a folder with a folder that nothing is in from one without it', async () => {
    const content = text(`beside nothing ${crypto.randomUUID()}`)
    const made = await api.sendJson('POST', '/folder', { name: crypto.randomUUID(), blockchain: 'IPFS' })
    const { id: parent } = await made.json<{ id: string }>()
    await api.sendJson('POST', '/folder', { name: 'empty', parent, blockchain: 'IPFS' })
    await putInto(parent, 'one.txt', content)
    const { id } = await (await api.send('POST', `/folder/${parent}/merge`)).json<{ id: string }>()
    const files = [{ path: 'one.txt', size: content.length, sha256: hashOf(content) }]
    const idsOf = async (manifest: Uint8Array) =>
      (await ask({ blockchain: 'IPFS', manifest: hashOf(manifest) })).body.known.map((item) => item.id)
    expect(await idsOf(folderManifest(files, ['empty']))).toEqual([id])
    expect(await idsOf(folderManifest(files))).toEqual([])
  })

  it('does not take a file for a folder whose manifest it is, nor the other way round', async () => {
    const files = { 'one.txt': text('one') }
    const manifest = folderManifest([{ path: 'one.txt', size: 3, sha256: hashOf(text('one')) }])
    const file = await mergedItem(api, 'IPFS', manifest)
    const asked = { blockchain: 'IPFS', manifest: hashOf(manifest), files: [own(manifest)] }
    expect((await ask(asked)).body.known.map(({ id }) => id)).toEqual([file])
    const folder = await mergedFolder(files)
    const alike = 'UPDATE items SET size = ?2, mimetype = ?3, created_at = created_at + 1 WHERE id = ?1'
    await runSql(alike, folder, manifest.length, 'text/plain')
    expect((await ask(asked)).body.known.map(({ id }) => id)).toEqual([folder, file])
    await api.send('DELETE', `/item/${file}`)
    expect((await ask(asked)).body.known.map(({ id }) => id)).toEqual([folder])
  })

  it('refuses more than 2,000 files, and what is no hash', async () => {
    const file = own(text('x'))
    expect((await ask({ blockchain: 'IPFS', files: Array(2000).fill(file) })).status).toBe(200)
    expect((await ask({ blockchain: 'IPFS', files: Array(2001).fill(file) })).body.code).toBe('invalid_field')
    expect((await ask({ blockchain: 'IPFS', files: [{ ...file, sha256: 'x' }] })).body.code).toBe('invalid_field')
    expect((await ask({ blockchain: 'IPFS', manifest: 'x' })).body.code).toBe('invalid_field')
    expect((await ask({ blockchain: 'IPFS' })).body.known).toEqual([])
  })

  it('holds no more than 500,000 transactions against the denylist', async () => {
    const { userId, headers } = await signIn()
    api = callApi(headers)
    const contents = Array.from({ length: 34 }, (_, index) => text(`large ${index}`))
    const rows = contents.map((content, index) => {
      return { id: objectId(index), user_id: userId, ...own(content), status: 402, transactions: 15_000 }
    })
    await add('items', ...rows)
    expect((await ask({ blockchain: 'Bitcoin', files: contents.map((content) => own(content)) })).body.code).toBe(
      'too_many_files',
    )
    expect(await known('Bitcoin', contents.slice(1))).toHaveLength(33)
  })
})
