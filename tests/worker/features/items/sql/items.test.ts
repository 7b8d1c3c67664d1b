import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  deleteEmptyFoldersStatement,
  deleteOldEmptyFolders,
  selectDirectoryFiles,
  selectDirectoryItemOf,
  selectFolderAncestries,
  selectFolderFiles,
  selectFolders,
  selectFolderTree,
  selectOwnFolder,
  upsertFolder,
} from '../../../../../worker/features/items/sql/folders.ts'
import {
  countPlaces,
  type ItemList,
  type ListPlace,
  selectItemCounts,
  selectPlaces,
} from '../../../../../worker/features/items/sql/item-lists.ts'
import {
  deleteRefusal,
  selectChangedItems,
  selectItem,
  selectKnownItemIds,
  selectListedItems,
  selectOwnItem,
  selectUploads,
  updateUploadTime,
  updateWaitingMessage,
} from '../../../../../worker/features/items/sql/items.ts'
import {
  deleteRemovedItems,
  selectAbandonedItems,
  selectLeftovers,
  selectMerging,
  selectRemovedItems,
  updateTidied,
} from '../../../../../worker/features/items/sql/items-to-sweep.ts'
import { insertLinks, selectKnownContent, selectLinks } from '../../../../../worker/features/items/sql/linked-files.ts'
import { selectPayableItems, updateItemTimesStatement } from '../../../../../worker/features/items/sql/payable-items.ts'
import { matchWords, searchItems } from '../../../../../worker/features/items/sql/search-items.ts'
import { selectStoredItem } from '../../../../../worker/features/items/sql/stored-items.ts'
import {
  acquireUploadLease,
  LEASE_TIME,
  releaseUploadLease,
  renewUploadLease,
  requestUploadLease,
} from '../../../../../worker/features/items/sql/upload-leases.ts'
import { add, addMany, clear, list, read } from '../../../rows.ts'

const { DB } = env

beforeEach(async () => {
  await clear('item_txids', 'payment_request_items', 'payment_requests', 'upload_leases')
  await DB.prepare('UPDATE items SET part_of = NULL, linked_from = NULL').run()
  await DB.prepare('UPDATE folders SET parent_id = NULL, name = id').run()
  await clear('items', 'folders')
})
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

describe('folders', () => {
  it('are one of a name in a place, and found by their owner', async () => {
    const folder = { id: 'a', userId: 'ada', parentId: null, name: 'n', blockchain: 'IPFS', createdAt: 0 } as const
    expect(await upsertFolder(DB, folder, 1, false)).toBe('a')
    expect(await upsertFolder(DB, { ...folder, id: 'b' }, 1, false)).toBe('a')
    expect(await upsertFolder(DB, { ...folder, id: 'c', userId: 'bob' }, 1, false)).toBe('c')
    for (const other of [{ name: 'm' }, { blockchain: 'Bitcoin' }, { parentId: 'a' }] as const) {
      expect(await upsertFolder(DB, { ...folder, id: 'd', ...other }, 1, false)).toBeUndefined()
    }
    expect((await selectOwnFolder(DB, 'bob', 'c'))?.id).toBe('c')
    expect(await selectOwnFolder(DB, 'bob', 'a')).toBeUndefined()
    expect(await selectOwnFolder(DB, 'ada', 'b')).toBeUndefined()
  })

  it('are listed for their owner in one place, the newest first, a page at a time', async () => {
    await add(
      'folders',
      { id: 'a' },
      { id: 'b', created_at: 1 },
      { id: 'c', parent_id: 'a' },
      { id: 'd', user_id: 'bob' },
    )
    await add('items', { id: 'i', directory_of: 'a' }, { id: 'j', directory_of: 'b', removed_at: 1 })
    const page = async (limit: number, parentId?: string, after?: { createdAt: number; id: string }) =>
      (await selectFolders(DB, { userId: 'ada', parentId, after, limit })).map(({ id, item }) => id + (item ?? ''))
    expect(await page(9)).toEqual(['b', 'ai'])
    expect(await page(1)).toEqual(['b'])
    expect(await page(9, undefined, { createdAt: 1, id: 'b' })).toEqual(['ai'])
    expect(await page(9, 'a')).toEqual(['c'])
  })

  it('know the folders that they are in, and those in them', async () => {
    await add('folders', { id: 'a' }, { id: 'b', parent_id: 'a' }, { id: 'c', parent_id: 'b' }, { id: 'x' })
    await add('items', { id: 'i', directory_of: 'b' }, { id: 'j', directory_of: 'c', removed_at: 1 })
    const found = await selectFolderAncestries(DB, ['c', 'x'])
    const named = [...found].map(([id, up]) => [id, up.map((one) => one.id + (one.merged ? ' merged' : ''))])
    expect(named).toEqual([
      ['c', ['c', 'b merged', 'a']],
      ['x', ['x']],
    ])
    expect(ids(await selectFolderTree(DB, 'a'))).toEqual(['a', 'b', 'c'])
    expect(ids(await selectFolderTree(DB, 'c'))).toEqual(['c'])
  })

  it('go with the last item in them', async () => {
    await add('folders', { id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd', parent_id: 'c' }, { id: 'e' })
    await add('items', { id: 'gone', folder_id: 'a', removed_at: 1 }, { id: 'of-b', folder_id: 'b' })
    await add('items', { id: 'in-b', folder_id: 'b', removed_at: 1 }, { id: 'in-c', folder_id: 'c', removed_at: 1 })
    await add('folders', { id: 'z' })
    await add('items', { id: 'in-z', folder_id: 'z', removed_at: 1 })
    await deleteEmptyFoldersStatement(DB, ['gone', 'in-b', 'in-c']).run()
    expect(await list('folders', 'id')).toEqual(['b', 'c', 'd', 'e', 'z'])
  })

  it('go with the folders that they are in, up to one where something is left', async () => {
    await add(
      'folders',
      { id: 'a' },
      { id: 'b', parent_id: 'a' },
      { id: 'c', parent_id: 'b' },
      { id: 'd', parent_id: 'a' },
    )
    await add('items', { id: 'in-c', folder_id: 'c', removed_at: 1 }, { id: 'in-d', folder_id: 'd', removed_at: 1 })
    await add(
      'folders',
      { id: 'k' },
      { id: 'l', parent_id: 'k' },
      { id: 'm', parent_id: 'l' },
      { id: 'n', parent_id: 'm' },
    )
    await add('items', { id: 'in-n', folder_id: 'n', removed_at: 1 }, { id: 'in-l', folder_id: 'l' })
    await add('folders', { id: 'p' }, { id: 'q', parent_id: 'p' }, { id: 'r', parent_id: 'p' })
    await add('items', { id: 'in-q', folder_id: 'q', removed_at: 1 }, { id: 'in-none', removed_at: 1 })
    await deleteEmptyFoldersStatement(DB, ['in-c', 'in-d', 'in-n', 'in-none', 'in-q']).run()
    expect(await list('folders', 'id')).toEqual(['k', 'l', 'p', 'r'])
  })

  it('that nothing is in are forgotten when they are old', async () => {
    await add(
      'folders',
      { id: 'a', created_at: 4 },
      { id: 'b', created_at: 5 },
      { id: 'c' },
      { id: 'd', parent_id: 'c', created_at: 9 },
    )
    await add('folders', { id: 'e' }, { id: 'f' }, { id: 'g' }, { id: 'h' })
    await add('items', { id: 'i', folder_id: 'e' }, { id: 'j', folder_id: 'f', removed_at: 1 })
    await add('items', { id: 'k', directory_of: 'g' }, { id: 'l', directory_of: 'h', removed_at: 1 })
    await deleteOldEmptyFolders(DB, 5, 1)
    expect(await list('folders', 'id')).toHaveLength(7)
    await deleteOldEmptyFolders(DB, 5, 9)
    expect(await list('folders', 'id')).toEqual(['b', 'c', 'd', 'e', 'g'])
  })

  it('give the files that are in them, and the directory that one of them became', async () => {
    await add('items', { id: 'a', folder_id: 'f' }, { id: 'b', folder_id: 'g', status: 201, merging_at: 1 })
    await add('items', { id: 'c', folder_id: 'f', removed_at: 1 }, { id: 'd', folder_id: 'h' })
    const files = await selectFolderFiles(DB, ['f', 'g'], 9)
    expect(files.map(({ id, state }) => `${id} ${state}`)).toEqual(['a uploading', 'b merging'])
    expect(ids(await selectFolderFiles(DB, ['f', 'g'], 1))).toEqual(['a'])
    await add('items', { id: 'e', directory_of: 'f', removed_at: 1 }, { id: 'i', directory_of: 'h' })
    expect(await selectDirectoryItemOf(DB, ['f', 'g'])).toBeUndefined()
    expect(await selectDirectoryItemOf(DB, ['f', 'h'])).toBe('i')
  })

  it('that became a directory give its files, linked ones with what they are linked to', async () => {
    await add('items', { id: 'd' }, { id: 's', cid: 'of-s' }, { id: 't', cid: 'of-t' })
    await add(
      'items',
      { id: 'a', part_of: 'd', linked_from: 't' },
      { id: 'b', part_of: 'd' },
      { id: 'c', part_of: 's' },
    )
    const files = await selectDirectoryFiles(DB, 'd')
    expect(files.map(({ id, linkedCid }) => `${id} ${linkedCid}`)).toEqual(['a of-t', 'b null'])
  })
})

describe('lists of items', () => {
  it('are read by any order, from a number of others or behind a place', async () => {
    await add('folders', { id: 'f' })
    await add(
      'items',
      { id: 'a', name: 'Z', size: 2, created_at: 1, status: 409 },
      { id: 'b', name: 'x', size: 3, created_at: 2, folder_id: 'f' },
      { id: 'c', name: 'y', size: 1, created_at: 3, status: 409, user_id: 'bob' },
      { id: 'd', name: 'w', size: 2, created_at: 4, status: 200 },
    )
    const read = async (list: Partial<ItemList>, from: ListPlace | { skip: number } = { skip: 0 }, limit = 9) => {
      const whole: ItemList = {
        owner: { user: 'ada' },
        status: undefined,
        hidden: false,
        order: 'name',
        backwards: false,
        ...list,
      }
      const places = await selectPlaces(DB, whole, from, limit)
      if ('skip' in from && limit === 9) expect(await countPlaces(DB, whole)).toBe(places.length + from.skip)
      return ids(places).join('')
    }
    expect(await read({})).toBe('dba')
    expect(await read({}, { skip: 1 })).toBe('ba')
    expect(await read({}, { skip: 0 }, 1)).toBe('d')
    expect(await read({ backwards: true }, { key: 'x', id: 'b', createdAt: 2 })).toBe('d')
    expect(await read({ order: 'size' }, { key: 2, id: 'a', createdAt: 1 })).toBe('db')
    expect(await read({ order: 'created', backwards: true })).toBe('dba')
    expect(await read({ order: 'status' })).toBe('bda')
    expect(await read({ order: 'status' }, { key: 1, id: 'b', createdAt: 2 })).toBe('da')
    expect(await read({ order: 'status', backwards: true })).toBe('adb')
    expect(await read({ owner: { folder: 'f' } })).toBe('b')
    expect(await read({ owner: { none: 'ada' }, status: 409 })).toBe('a')
    expect(await read({ owner: 'all', status: 409 })).toBe('ca')
  })

  it('count what an account has in each state', async () => {
    await add(
      'items',
      { id: 'a', size: 3 },
      { id: 'b', status: 200 },
      { id: 'c', size: 4 },
      { id: 'd', user_id: 'bob' },
    )
    expect(await selectItemCounts(DB, 'ada')).toEqual([
      { status: 200, hidden: 0, n: 1, bytes: 1 },
      { status: 201, hidden: 0, n: 2, bytes: 7 },
    ])
  })

  it('have live items in the order in which they are asked for, with the names of their folders', async () => {
    await add('folders', { id: 'f', name: 'f' }, { id: 'g', parent_id: 'f', name: 'g' })
    await add(
      'items',
      { id: 'a', folder_id: 'g', transactions: 100 },
      { id: 'b', transactions: 101 },
      { id: 'c', removed_at: 1 },
    )
    await add('items', { id: 'd', part_of: 'a' })
    const txid = 'f'.repeat(64)
    await add('item_txids', { item_id: 'a', txids: txid }, { item_id: 'b', txids: txid })
    const found = await selectListedItems(DB, ['b', 'd', 'c', 'a'])
    expect(found.map(({ id, path, txids }) => [id, path, txids])).toEqual([
      ['b', null, undefined],
      ['a', 'f/g', [txid]],
    ])
    expect(ids(await selectListedItems(DB, ['a']))).toEqual(['a'])
    expect(await selectListedItems(DB, [])).toEqual([])
    expect(await selectItem(DB, 'c')).toBeUndefined()
    expect(await selectItem(DB, 'b')).toMatchObject({ id: 'b', txids: [txid] })
    expect(await selectOwnItem(DB, 'ada', 'a')).toMatchObject({ path: 'f/g' })
    expect(await selectOwnItem(DB, 'bob', 'a')).toBeUndefined()
    expect(await selectKnownItemIds(DB, ['a', 'c', 'e'])).toEqual(new Set(['a', 'c']))
  })

  it('show a file of a directory in the state of that', async () => {
    await add(
      'items',
      { id: 'd', status: 201, merging_at: 1, message: 'why' },
      { id: 'x' },
      { id: 'a', part_of: 'd', status: 402 },
    )
    expect(await selectItem(DB, 'a')).toMatchObject({ state: 'merging', message: 'why' })
    expect(await selectItem(DB, 'x')).toMatchObject({ state: 'uploading', message: null })
  })

  it('name no more than thirty-three folders, whatever refers to itself', async () => {
    const name = "'f' || n"
    await addMany('folders', 40, { id: name, name, parent_id: "IIF(n = 1, NULL, 'f' || (n - 1))" })
    await add('items', { id: 'a', folder_id: 'f40' })
    expect((await selectItem(DB, 'a'))?.path?.split('/')).toEqual(Array.from({ length: 33 }, (_, n) => `f${n + 8}`))
  })

  it('tell what of an account changed since', async () => {
    await add(
      'items',
      { id: 'a', updated_at: 3 },
      { id: 'b', updated_at: 2 },
      { id: 'c', updated_at: 3 },
      { id: 'd', updated_at: 1 },
    )
    await add('items', { id: 'e', updated_at: 5, user_id: 'bob' }, { id: 'f', updated_at: 5, removed_at: 1 })
    await add('items', { id: 'g', updated_at: 5, part_of: 'a' }, { id: 'h', updated_at: 6, transactions: 101 })
    await add('item_txids', { item_id: 'h', txids: 'f'.repeat(64) }, { item_id: 'b', txids: 'e'.repeat(64) })
    await DB.prepare("UPDATE items SET transactions = 100 WHERE id = 'b'").run()
    const changed = await selectChangedItems(DB, 'ada', { updatedAt: 1, id: 'd' }, 9)
    expect(changed.map(({ id, txids }) => id + (txids?.length ?? ''))).toEqual(['b1', 'a', 'c', 'h'])
    expect(ids(await selectChangedItems(DB, 'ada', { updatedAt: 3, id: 'a' }, 1))).toEqual(['c'])
  })

  it('have the unfinished uploads of an account, the newest first, a page at a time', async () => {
    await add('items', { id: 'a' }, { id: 'b', created_at: 1 }, { id: 'c', created_at: 2, merging_at: 1 })
    await add(
      'items',
      { id: 'd', status: 402 },
      { id: 'e', removed_at: 1 },
      { id: 'f', part_of: 'a' },
      { id: 'g', directory_of: 'f' },
      { id: 'j', linked_from: 'a' },
    )
    await add('items', { id: 'h', user_id: 'bob' }, { id: 'i' })
    const page = async (limit: number, after?: { createdAt: number; id: string }) =>
      ids(await selectUploads(DB, { userId: 'ada', after, limit }))
    expect(await page(9)).toEqual(['b', 'i', 'a'])
    expect(await page(1, { createdAt: 1, id: 'b' })).toEqual(['i'])
    expect(await page(9, { createdAt: 0, id: 'i' })).toEqual(['a'])
  })

  it('find names by the beginnings of their words', async () => {
    await add('folders', { id: 'f' })
    await add(
      'items',
      { id: 'a', name: 'red book', size: 2 },
      { id: 'b', name: 'red boat', folder_id: 'f', status: 200 },
    )
    await add('items', { id: 'c', name: 'red bottle', user_id: 'bob' }, { id: 'd', name: 'blue book' })
    const search = (text: string, given: Partial<Parameters<typeof searchItems>[1]> = {}) =>
      searchItems(DB, {
        ...{ match: matchWords('ada', text) ?? '', userId: 'ada', status: undefined, folder: undefined },
        ...{ hidden: false, order: 'name', backwards: false, limit: 9, ...given },
      })
    expect(await search('red bo')).toEqual({ ids: ['b', 'a'], more: false })
    expect(await search('red', { backwards: true })).toEqual({ ids: ['a', 'b'], more: false })
    expect(await search('red', { order: 'size' })).toEqual({ ids: ['b', 'a'], more: false })
    expect(await search('red', { limit: 1 })).toEqual({ ids: ['b'], more: true })
    expect(await search('red', { limit: 2 })).toEqual({ ids: ['b', 'a'], more: false })
    expect(await search('red', { folder: 'f' })).toEqual({ ids: ['b'], more: false })
    expect(await search('red', { folder: null })).toEqual({ ids: ['a'], more: false })
    expect(await search('red', { status: 200 })).toEqual({ ids: ['b'], more: false })
    expect(await search('red', { userId: 'bob' })).toEqual({ ids: [], more: false })
    await add('items', { id: 'e', name: 'green' }, { id: 'g', name: 'green', created_at: 1 })
    expect((await search('green')).ids).toEqual(['e', 'g'])
    expect((await search('green', { order: 'status' })).ids).toEqual(['g', 'e'])
    expect(matchWords('ada', ' -- ')).toBeUndefined()
    expect(matchWords('ada', 'w '.repeat(12))?.split(' *').length).toBe(11)
  })
})

describe('an item', () => {
  it('is read by everybody once it is stored', async () => {
    const txid = 'f'.repeat(64)
    await add(
      'items',
      { id: 'a', status: 200, stored_size: 7 },
      { id: 'b', status: 202 },
      { id: 'c', status: 200, cid: 'cid' },
    )
    await add('item_txids', { item_id: 'a', txids: txid })
    expect(await selectStoredItem(DB, 'a')).toMatchObject({ id: 'a', storedSize: 7, txids: [txid], cid: undefined })
    expect(await selectStoredItem(DB, 'c')).toMatchObject({ name: 'c', txids: [], cid: 'cid' })
    expect(await selectStoredItem(DB, 'b')).toBeUndefined()
    expect(await selectStoredItem(DB, 'none')).toBeUndefined()
  })

  it('names the directory that it is a part of, and no other', async () => {
    const directory = { status: 200, directory_of: 'f' }
    await add(
      'items',
      { id: 'd', ...directory, cid: 'other' },
      { id: 'e', ...directory, directory_of: 'g', cid: 'its' },
    )
    await add('items', { id: 'part', status: 200, part_of: 'e' }, { id: 'alone', status: 200 })
    expect(await selectStoredItem(DB, 'part')).toMatchObject({ directoryCid: 'its' })
    expect(await selectStoredItem(DB, 'alone')).toMatchObject({ directoryCid: undefined })
  })

  it('is paid for by its user while it lives', async () => {
    const sizes = { stored_size: 5, transactions: 2, max_data_bytes: 3 }
    await add('items', { id: 'a', ...sizes }, { id: 'b', user_id: 'bob' }, { id: 'c', removed_at: 1 }, { id: 'd' })
    expect(await selectPayableItems(DB, 'ada', ['a', 'b', 'c'])).toMatchObject([
      { id: 'a', storedSize: 5, transactions: 2, maxDataBytes: 3 },
    ])
    expect(await selectPayableItems(DB, 'ada', ['d'])).toMatchObject([
      { storedSize: 0, transactions: 0, maxDataBytes: 0 },
    ])
    await updateItemTimesStatement(DB, ['a', 'b'], 9).run()
    expect(await read('items', 'id', 'updated_at')).toEqual({ a: 9, b: 9, c: 0, d: 0 })
  })

  it('is paid for with an index where one was requested', async () => {
    await add('items', { id: 'a', indexed: 1, size: 5 }, { id: 'b', indexed: 0 }, { id: 'c' })
    const payable = await selectPayableItems(DB, 'ada', ['a', 'b', 'c'])
    expect(Object.fromEntries(payable.map(({ id, index }) => [id, index]))).toEqual({
      ...{ a: { type: 'text/plain', size: 5 }, b: undefined, c: undefined },
    })
  })

  it('says that it is alive, and what it waits for, in the state that it is in', async () => {
    const merging = { status: 201, merging_at: 1 }
    await add(
      'items',
      { id: 'a', message: 'm' },
      { id: 'b', ...merging, message: 'm' },
      { id: 'c', status: 202, message: 'm' },
      { id: 'd', message: 'm' },
    )
    await add('items', { id: 'e', status: 202, message: 'm' })
    for (const id of ['a', 'b', 'c']) await updateUploadTime(DB, id, 9)
    expect(await read('items', 'id', 'updated_at')).toEqual({ a: 9, b: 0, c: 0, d: 0, e: 0 })
    await updateWaitingMessage(DB, ['a', 'c'], 'wait')
    expect(await read('items', 'id', 'message')).toEqual({ a: 'm', b: 'm', c: 'wait', d: 'm', e: 'm' })
    for (const id of ['a', 'b', 'c']) await deleteRefusal(DB, id, 10)
    expect(await read('items', 'id', 'message')).toEqual({ a: null, b: 'm', c: 'wait', d: 'm', e: 'm' })
    expect(await read('items', 'id', 'updated_at')).toEqual({ a: 10, b: 0, c: 0, d: 0, e: 0 })
  })
})

describe('what is swept', () => {
  it('are uploads and unpaid items that nobody touched and no request waits for', async () => {
    const old = { updated_at: 4 }
    await add('items', { id: 'a', ...old }, { id: 'b', status: 402, updated_at: 3 }, { id: 'c', updated_at: 5 })
    await add(
      'items',
      { id: 'd', ...old, merging_at: 1 },
      { id: 'e', ...old, status: 202 },
      { id: 'f', ...old, part_of: 'c' },
    )
    await add('items', { id: 'g', ...old, removed_at: 1 }, { id: 'h', ...old }, { id: 'i', ...old })
    await add('payment_requests', { id: 'request' })
    await add('payment_request_items', { request_id: 'request', item_id: 'h', waiting: 1 })
    await add('payment_request_items', { request_id: 'request', item_id: 'i', waiting: 0 })
    expect(await selectAbandonedItems(DB, 5, 9)).toEqual(['b', 'a', 'i'])
    expect(await selectAbandonedItems(DB, 5, 1)).toEqual(['b'])
  })

  it('are removed items, once none of their files is left', async () => {
    await add(
      'items',
      { id: 'a', removed_at: 2 },
      { id: 'b', removed_at: 1 },
      { id: 'c' },
      { id: 'd', part_of: 'a', removed_at: 3 },
    )
    expect(ids(await selectRemovedItems(DB, 9))).toEqual(['b', 'a', 'd'])
    expect(ids(await selectRemovedItems(DB, 1))).toEqual(['b'])
    for (const id of ['a', 'c', 'b']) await deleteRemovedItems(DB, [id])
    expect(await list('items', 'id')).toEqual(['a', 'c', 'd'])
  })

  it('are what served the writing of a stored item', async () => {
    const old = { updated_at: 4, status: 200 }
    await add('items', { id: 'a', ...old }, { id: 'b', ...old, updated_at: 3 }, { id: 'c', ...old, leftovers: 0 })
    await add('items', { id: 'd', ...old, updated_at: 5 }, { id: 'e', ...old, status: 202 })
    expect(ids(await selectLeftovers(DB, 5, 9))).toEqual(['b', 'a'])
    expect(ids(await selectLeftovers(DB, 5, 1))).toEqual(['b'])
    await updateTidied(DB, 'b')
    expect(await read('items', 'id', 'leftovers')).toEqual({ a: 1, b: 0, c: 0, d: 1, e: 1 })
  })

  it('are merges that nobody took on', async () => {
    const row = { status: 201, merging_at: 4 }
    await add('items', { id: 'a', ...row }, { id: 'b', ...row, merging_at: 3 }, { id: 'c', ...row, merging_at: 5 })
    await add('items', { id: 'd', ...row, removed_at: 1 }, { id: 'e', ...row, status: 402 })
    expect(await selectMerging(DB, 5, 9)).toEqual(['b', 'a'])
    expect(await selectMerging(DB, 5, 1)).toEqual(['b'])
  })
})

describe('known content', () => {
  const stored = { status: 200, blockchain: 'IPFS', cid: 'c', sha256: 'h' }
  const link = (id: string, folderId: string, name: string, size = 1) => ({
    ...{ id, folderId, name, linkedFrom: 's', mimetype: '', size, sha256: 'h' },
  })

  it('is what the same user has stored on IPFS', async () => {
    await add(
      'items',
      { id: 'a', ...stored },
      { id: 'b', ...stored, user_id: 'bob' },
      { id: 'c', ...stored, sha256: 'x' },
    )
    await add('items', { id: 'd', ...stored, status: 202 }, { id: 'e', ...stored, blockchain: 'Bitcoin' })
    await add('items', { id: 'f', ...stored, cid: null }, { id: 'g', ...stored, removed_at: 1 })
    await add('items', { id: 'directory', ...stored, directory_of: 'folder' })
    expect(ids(await selectKnownContent(DB, 'ada', ['h', 'y']))).toEqual(['a'])
  })

  it('is linked where no file of that name is, within the quotas', async () => {
    await add('items', { id: 's', ...stored }, { id: 'in-f', folder_id: 'f', name: 'n', size: 3 })
    await add('items', { id: 'gone', folder_id: 'g', name: 'n', removed_at: 1, status: 200 })
    const insert = (links: ReturnType<typeof link>[], unpaidItems = 9, unpaidBytes = 99) =>
      insertLinks(DB, 'ada', links, { unpaidItems, unpaidBytes }, 5)
    await insert([link('a', 'f', 'n'), link('b', 'f', 'm'), link('c', 'g', 'n')])
    expect(await list('items', 'id')).toEqual(['b', 'c', 'gone', 'in-f', 's'])
    expect(await read('items', 'id', "chunk_size || ':' || chunks")).toMatchObject({ b: '0:0', s: '1:1' })
    await insert([link('d', 'h', 'n', 5)], 3)
    await insert([link('d', 'h', 'n', 5)], 9, 9)
    expect(await list('items', 'id')).not.toContain('d')
    await insert([link('d', 'h', 'n', 5)], 4, 10)
    expect(await list('items', 'id')).toContain('d')
    await add('items', { id: 'e', folder_id: 'h', linked_from: 's', sha256: 'h', removed_at: 1 })
    expect((await selectLinks(DB, ['f', 'h'])).map(({ folderId, name }) => folderId + name).sort()).toEqual([
      'fm',
      'hn',
    ])
  })
})

describe('the lease of an upload', () => {
  it('is of one writer until it ends', async () => {
    await add('items', { id: 'a' }, { id: 'b' }, { id: 'c', merging_at: 1 }, { id: 'd', removed_at: 1 })
    const take = (id: string, holder: string, now: number) => acquireUploadLease(DB, id, holder, now)
    for (const id of ['c', 'd', 'none']) expect(await take(id, 'x', 5)).toBe(false)
    expect([await take('a', 'x', 5), await take('b', 'x', 5)]).toEqual([true, true])
    const leases = () => read('upload_leases', 'item_id', "holder || wanted || ':' || expires_at")
    expect(await leases()).toEqual({ a: 'x0:10005', b: 'x0:10005' })
    expect(await take('a', 'y', 4 + LEASE_TIME)).toBe(false)
    expect(await leases()).toEqual({ a: `x1:${5 + LEASE_TIME}`, b: `x0:${5 + LEASE_TIME}` })
    expect(await take('a', 'y', 5 + LEASE_TIME)).toBe(true)
    expect(await leases()).toEqual({ a: `y0:${5 + 2 * LEASE_TIME}`, b: `x0:${5 + LEASE_TIME}` })
  })

  it('is held on by its writer, one that is idle only where nobody else wants it', async () => {
    await add('items', { id: 'a' }, { id: 'b' })
    await add(
      'upload_leases',
      { item_id: 'a', holder: 'x', expires_at: 9 },
      { item_id: 'b', holder: 'x', expires_at: 9 },
    )
    const renew = (holder: string, idle: boolean, now = 5) => renewUploadLease(DB, { itemId: 'a', holder, idle }, now)
    expect(await requestUploadLease(DB, 'a', 9)).toBe(false)
    expect(await requestUploadLease(DB, 'none', 5)).toBe(false)
    expect(await renew('y', false)).toBe(false)
    expect(await renew('x', true)).toBe(true)
    expect(await requestUploadLease(DB, 'a', 8)).toBe(true)
    expect(await read('upload_leases', 'item_id', 'wanted')).toEqual({ a: 1, b: 0 })
    expect(await renew('x', true)).toBe(false)
    expect(await renew('x', false, 7)).toBe(true)
    expect(await read('upload_leases', 'item_id', "wanted || ':' || expires_at")).toEqual({
      a: `0:${7 + LEASE_TIME}`,
      b: '0:9',
    })
    await DB.prepare("UPDATE items SET merging_at = 1 WHERE id = 'a'").run()
    expect(await renew('x', false)).toBe(false)
    await releaseUploadLease(DB, 'a', 'y')
    await releaseUploadLease(DB, 'b', 'x')
    expect(await list('upload_leases', 'item_id')).toEqual(['a'])
  })
})
