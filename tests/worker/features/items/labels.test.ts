import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { updateFolderLabel, updateItemLabel } from '../../../../worker/features/items/sql/labels.ts'
import { add, addMany, read, runSql } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { type Api, callApi, createItem, uploadItem } from './api.ts'

let api: Api
let userId: string
beforeEach(async () => {
  const user = await signIn()
  api = callApi(user.headers)
  userId = user.userId
})

interface Answer {
  status: number
  id?: string
  code?: string
  name?: string
  parent?: string | null
  folder?: string | null
  path?: string | null
}

async function ask(method: string, path: string, body?: unknown, caller = api): Promise<Answer> {
  const response = body === undefined ? await caller.send(method, path) : await caller.sendJson(method, path, body)
  const text = await response.text()
  return { ...(text === '' ? {} : JSON.parse(text)), status: response.status }
}

async function makeFolder(name: string, more: object = {}): Promise<string> {
  const { status, id = '' } = await ask('POST', '/folder', { name, blockchain: 'IPFS', ...more })
  if (status !== 201) throw new Error(`${status}`)
  return id
}

/** A folder of one file, merged. */
async function mergedFolder(name: string, more: object = {}): Promise<{ id: string; item: string; file: string }> {
  const id = await makeFolder(name, more)
  const file = await putInto(id, 'index.html')
  const merged = await ask('POST', `/folder/${id}/merge`)
  if (merged.status !== 200) throw new Error(JSON.stringify(merged))
  return { id, item: merged.id ?? '', file }
}

const putInto = (folder: string | undefined, name: string) =>
  uploadItem(api, Uint8Array.from(Buffer.from(crypto.randomUUID())), {
    blockchain: 'IPFS',
    name,
    ...(folder !== undefined && { folder }),
  })

/** Files in and below each folder of the account, by its name, as the table says and as they are counted anew. */
async function counts() {
  const results = await runSql<{ name: string; kept: number; counted: number }>(
    `SELECT name, items AS kept, (WITH RECURSIVE down (id) AS (
         SELECT folders.id UNION ALL SELECT f.id FROM folders f JOIN down ON f.parent_id = down.id)
       SELECT COUNT(*) FROM down JOIN items i ON i.folder_id = down.id
       WHERE i.directory_of IS NULL AND i.removed_at IS NULL) AS counted
     FROM folders WHERE user_id = ? ORDER BY name`,
    userId,
  )
  expect(results.map(({ kept }) => kept)).toEqual(results.map(({ counted }) => counted))
  return Object.fromEntries(results.map(({ name, kept }) => [name, kept]))
}

describe('POST /v0/folder with newVersion', () => {
  it('makes an open folder beside a merged one, once, and gives the merged one without it as long as there is no other', async () => {
    const { id: first } = await mergedFolder('site')
    expect(await makeFolder('site')).toBe(first)
    const second = await makeFolder('site', { newVersion: true })
    expect(second).not.toBe(first)
    expect(await makeFolder('site', { newVersion: true })).toBe(second)
    expect(await makeFolder('site')).toBe(second)
    await putInto(second, 'index.html')
    expect((await ask('POST', `/folder/${second}/merge`)).status).toBe(200)
    expect(await makeFolder('site')).toBe(second)
    const third = await makeFolder('site', { newVersion: true })
    expect([first, second]).not.toContain(third)
  })

  it('is an ordinary folder where none of the name is merged, in this place, for this target and account', async () => {
    await mergedFolder('a')
    const open = await makeFolder('b')
    expect(await makeFolder('b', { newVersion: true })).toBe(open)
    const inner = await makeFolder('a', { parent: open })
    expect(await makeFolder('a', { parent: open, newVersion: true })).toBe(inner)
  })

  it('409: while the folder is being merged', async () => {
    const id = await makeFolder('busy')
    await add('items', {
      id: 'f'.repeat(24),
      user_id: userId,
      directory_of: id,
      blockchain: 'IPFS',
      status: 201,
      merging_at: 1,
    })
    expect(await ask('POST', '/folder', { name: 'busy', blockchain: 'IPFS', newVersion: true })).toMatchObject({
      status: 409,
      code: 'merging',
    })
  })

  it('counts for the quota of folders that no file is in', async () => {
    const { id } = await mergedFolder('full')
    await addMany('folders', 10_000, { id: "'q' || n", user_id: `'${userId}'` })
    expect(await makeFolder('full')).toBe(id)
    expect(await ask('POST', '/folder', { name: 'full', blockchain: 'IPFS', newVersion: true })).toMatchObject({
      status: 409,
      code: 'quota_exceeded',
    })
  })
})

describe('PATCH /v0/item/<id>', () => {
  it('renames and moves, and the lists follow', async () => {
    const [one, two] = [await makeFolder('one'), await makeFolder('two')]
    const id = await putInto(one, 'a.txt')
    expect(await counts()).toEqual({ one: 1, two: 0 })
    const moved = await ask('PATCH', `/item/${id}`, { name: 'b.txt', folder: two })
    expect(moved).toMatchObject({ name: 'b.txt', folder: two, path: 'two' })
    expect(await counts()).toEqual({ one: 0, two: 1 })
    const found = await (await api.send('GET', '/item?name=b')).json<{ items: { id: string }[] }>()
    expect(found.items.map((item) => item.id)).toEqual([id])
    expect(await ask('PATCH', `/item/${id}`, { folder: null })).toMatchObject({ name: 'b.txt', folder: null })
    expect(await counts()).toEqual({ one: 0, two: 0 })
    expect(await ask('PATCH', `/item/${id}`, {})).toMatchObject({ name: 'b.txt', folder: null })
  })

  it('409 and 400: a website has no media type of its own, and a file cannot get that of a directory', async () => {
    const { item, file } = await mergedFolder('site')
    const change = (id: string, mimetype: string) => ask('PATCH', `/item/${id}`, { mimetype })
    expect(await change(item, 'text/html')).toMatchObject({ status: 409, code: 'no_own_type' })
    expect(await change(file, 'text/html')).toMatchObject({ status: 409, code: 'folder_merged' })
    const single = await putInto(undefined, 'a.txt')
    for (const type of ['inode/directory', 'multipart/mixed', 'png']) {
      expect([type, (await change(single, type)).status]).toEqual([type, 400])
    }
    expect(await change(single, 'Image/PNG')).toMatchObject({ status: 200, mimetype: 'image/png' })
  })

  it('404: what is not the caller’s, item or folder', async () => {
    const other = callApi((await signIn()).headers)
    const folder = await makeFolder('mine')
    const id = await putInto(undefined, 'a.txt')
    expect((await ask('PATCH', `/item/${id}`, { name: 'b' }, other)).status).toBe(404)
    const theirs = await createItem(other, { blockchain: 'IPFS' })
    expect((await ask('PATCH', `/item/${theirs.id}`, { folder }, other)).status).toBe(404)
  })

  it('409: in or into a merged folder', async () => {
    const merged = await mergedFolder('merged')
    expect(await ask('PATCH', `/item/${merged.file}`, { name: 'b' })).toMatchObject({
      status: 409,
      code: 'folder_merged',
    })
    const id = await putInto(undefined, 'a.txt')
    expect(await ask('PATCH', `/item/${id}`, { folder: merged.id })).toMatchObject({
      status: 409,
      code: 'folder_merged',
    })
  })

  it('409: into a folder of another target, or where the name is taken', async () => {
    const folder = await makeFolder('IPFS')
    const chain = await createItem(api, { blockchain: 'Bitcoin' })
    expect(await ask('PATCH', `/item/${chain.id}`, { folder })).toMatchObject({ status: 409, code: 'target_differs' })
    await putInto(folder, 'taken')
    await makeFolder('folder', { parent: folder })
    for (const name of ['taken', 'folder']) {
      const id = await putInto(undefined, name)
      expect(await ask('PATCH', `/item/${id}`, { folder })).toMatchObject({ status: 409, code: 'name_taken' })
    }
    const removed = await putInto(folder, 'removed')
    expect(await ask('DELETE', `/item/${removed}`)).toMatchObject({ status: 204 })
    const heir = await putInto(undefined, 'removed')
    expect(await ask('PATCH', `/item/${heir}`, { folder })).toMatchObject({ status: 200 })
    // In no folder names may repeat.
    const [one, two] = [await putInto(undefined, 'x'), await putInto(undefined, 'y')]
    expect(await ask('PATCH', `/item/${two}`, { name: 'x' })).toMatchObject({ name: 'x' })
    expect(await ask('PATCH', `/item/${one}`, { name: '..' })).toMatchObject({ status: 400 })
  })

  it('changes nothing where an item in a folder is given the name that it has', async () => {
    const folder = await makeFolder('kept')
    const id = await putInto(folder, 'same')
    expect(await ask('PATCH', `/item/${id}`, { name: 'same' })).toMatchObject({ status: 200, name: 'same', folder })
  })

  it('409: where the folder could not be merged with it', async () => {
    const folder = await makeFolder('open')
    const alone = await putInto(undefined, 'alone')
    expect((await api.send('POST', `/item/${alone}/merge`)).status).toBe(200)
    expect(await ask('PATCH', `/item/${alone}`, { folder })).toMatchObject({ status: 409, code: 'already_merged' })
    await runSql('UPDATE items SET status = 200 WHERE id = ?', alone)
    expect(await ask('PATCH', `/item/${alone}`, { folder })).toMatchObject({ folder })
    await runSql('UPDATE items SET status = 201, merging_at = 1 WHERE id = ?', alone)
    expect(await ask('PATCH', `/item/${alone}`, { folder: null })).toMatchObject({ status: 409, code: 'merging' })
    await runSql('UPDATE items SET merging_at = NULL, linked_from = id WHERE id = ?', alone)
    expect(await ask('PATCH', `/item/${alone}`, { folder: null })).toMatchObject({ status: 409, code: 'linked_file' })
    expect(await ask('PATCH', `/item/${alone}`, { name: 'linked' })).toMatchObject({ name: 'linked' })
  })

  it('changes a merged folder with its item', async () => {
    const { id, item } = await mergedFolder('old')
    const parent = await makeFolder('parent')
    expect(await ask('PATCH', `/item/${item}`, { name: 'new', folder: parent })).toMatchObject({
      name: 'new',
      folder: parent,
    })
    expect(await ask('GET', `/folder/${id}`)).toMatchObject({ name: 'new', parent, item })
    expect(await counts()).toEqual({ new: 1, parent: 1 })
    expect(await ask('PATCH', `/folder/${id}`, { name: 'newer', parent: null })).toMatchObject({
      name: 'newer',
      parent: null,
    })
    expect(await ask('GET', `/item/${item}`)).toMatchObject({ name: 'newer', folder: null })
    expect(await counts()).toEqual({ newer: 1, parent: 0 })
  })
})

describe('PATCH /v0/folder/<id>', () => {
  it('renames and moves, with what is below', async () => {
    const [top, other] = [await makeFolder('top'), await makeFolder('other')]
    const below = await makeFolder('inner', { parent: top })
    await putInto(below, 'a.txt')
    expect(await counts()).toEqual({ inner: 1, other: 0, top: 1 })
    expect(await ask('PATCH', `/folder/${below}`, { name: 'moved', parent: other })).toMatchObject({
      name: 'moved',
      parent: other,
      items: 1,
    })
    expect(await counts()).toEqual({ moved: 1, other: 1, top: 0 })
  })

  it('409: into itself or what is below it', async () => {
    const top = await makeFolder('top')
    const below = await makeFolder('below', { parent: await makeFolder('between', { parent: top }) })
    for (const parent of [top, below]) {
      expect(await ask('PATCH', `/folder/${top}`, { parent })).toMatchObject({ status: 409, code: 'folder_loop' })
    }
  })

  it('409: where the name is taken by an open folder or an item, the target differs, or it is merged', async () => {
    const top = await makeFolder('top')
    const folder = await makeFolder('folder')
    await makeFolder('taken', { parent: top })
    await putInto(top, 'file')
    const refused = async (id: string, change: object) => {
      const { status, code } = await ask('PATCH', `/folder/${id}`, change)
      return `${status} ${code}`
    }
    expect(await refused(folder, { name: 'top' })).toBe('409 name_taken')
    expect(await refused(folder, { name: 'taken', parent: top })).toBe('409 name_taken')
    expect(await refused(folder, { name: 'file', parent: top })).toBe('409 name_taken')
    expect(await refused(folder, { parent: await makeFolder('chain', { blockchain: 'Bitcoin' }) })).toBe(
      '409 target_differs',
    )
    const merged = await mergedFolder('merged')
    expect(await refused(folder, { parent: merged.id })).toBe('409 folder_merged')
    expect(await refused(folder, { parent: '0'.repeat(24) })).toBe('404 not_found')
  })

  it('409: what lies in a merged folder', async () => {
    const outer = await makeFolder('outer')
    const inner = await makeFolder('inner', { parent: outer })
    await putInto(inner, 'a')
    await ask('POST', `/folder/${outer}/merge`)
    expect(await ask('PATCH', `/folder/${inner}`, { name: 'x' })).toMatchObject({ status: 409, code: 'folder_merged' })
  })

  it('lets versions of a folder share a name', async () => {
    const one = await mergedFolder('site')
    const two = await mergedFolder('site', { newVersion: true })
    const open = await makeFolder('site', { newVersion: true })
    expect(await ask('PATCH', `/folder/${one.id}`, { name: 'old' })).toMatchObject({ name: 'old' })
    expect(await ask('PATCH', `/folder/${one.id}`, { name: 'site' })).toMatchObject({ name: 'site' })
    expect(await ask('PATCH', `/folder/${open}`, { name: 'next' })).toMatchObject({ name: 'next' })
    expect(await ask('PATCH', `/folder/${two.id}`, { name: 'next' })).toMatchObject({ name: 'next' })
  })

  it('400: deeper than 32 folders', async () => {
    let [parent, above]: (string | undefined)[] = []
    for (let depth = 1; depth <= 31; depth++) [parent, above] = [await makeFolder(`d${depth}`, { parent }), parent]
    const tree = await makeFolder('tree')
    const leaf = await makeFolder('leaf', { parent: tree })
    expect(await ask('PATCH', `/folder/${tree}`, { parent })).toMatchObject({ status: 400, code: 'invalid_field' })
    expect(await ask('PATCH', `/folder/${tree}`, { parent: above })).toMatchObject({ parent: above })
    expect(await ask('PATCH', `/folder/${leaf}`, { parent })).toMatchObject({ parent })
  })
})

describe('a label is written', () => {
  it('only where no merge came between: into no folder that is merged by then, nor of a file that is in one', async () => {
    await add('folders', ...['closed', 'free', 'again'].map((id) => ({ id, user_id: userId })))
    const rows = [
      { id: 'directory', user_id: userId, directory_of: 'closed' },
      { id: 'removed', user_id: userId, directory_of: 'again', removed_at: 1 },
      { id: 'part', user_id: userId, part_of: 'directory' },
      { id: 'single', user_id: userId },
    ]
    for (const row of rows) await add('items', row)
    const label = { name: 'x', mimetype: 'text/plain' }
    const move = (id: string, folderId: string) => updateItemLabel(env.DB, { id, userId, ...label, folderId }, 5)
    expect(await move('single', 'closed')).toBe(false)
    expect(await move('single', 'gone')).toBe(false)
    expect(await move('part', 'free')).toBe(false)
    expect(await updateItemLabel(env.DB, { id: 'single', userId: 'other', ...label, folderId: null }, 5)).toBe(false)
    for (const open of ['again', 'free']) expect([open, await move('single', open)]).toEqual([open, true])
    expect(await read('items', 'id', 'folder_id')).toMatchObject({ part: null, single: 'free' })
  })

  it('only where two moves at once make no loop of folders', async () => {
    await add('folders', { id: 'left', user_id: userId }, { id: 'right', user_id: userId })
    const move = (id: string, folderId: string) => updateFolderLabel(env.DB, { id, userId, name: id, folderId }, 5)
    const moved = await Promise.all([move('left', 'right'), move('right', 'left')])
    expect(moved.toSorted()).toEqual([false, true])
  })
})

describe('DELETE /v0/folder/<id>', () => {
  it('deletes a folder that nothing is in, and no other', async () => {
    const top = await makeFolder('top')
    const inner = await makeFolder('inner', { parent: top })
    const file = await putInto(inner, 'a')
    expect(await ask('DELETE', `/folder/${top}`)).toMatchObject({ status: 409, code: 'folder_not_empty' })
    expect(await ask('DELETE', `/folder/${inner}`)).toMatchObject({ status: 409, code: 'folder_not_empty' })
    await ask('PATCH', `/item/${file}`, { folder: null })
    expect((await ask('DELETE', `/folder/${inner}`, undefined, callApi((await signIn()).headers))).status).toBe(404)
    expect((await ask('DELETE', `/folder/${inner}`)).status).toBe(204)
    expect((await ask('DELETE', `/folder/${top}`)).status).toBe(204)
    expect((await ask('GET', `/folder/${top}`)).status).toBe(404)
  })

  it('409: of a merged one', async () => {
    const { id } = await mergedFolder('merged')
    expect(await ask('DELETE', `/folder/${id}`)).toMatchObject({ status: 409, code: 'folder_not_empty' })
  })
})
