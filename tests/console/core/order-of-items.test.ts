import { expect, it } from 'vitest'
import { itemState } from '../../../client/item-state.ts'
import type { Item, Order as ServerOrder } from '../../../client/types.ts'
import { isWhole, needsFolderForm, type OrderItem } from '../../../console/core/order.ts'
import { orderOfItems, withServerState } from '../../../console/core/order-of-items.ts'

const ORDER: ServerOrder = {
  id: '0b8f6c1e-0000-4000-8000-000000000000',
  name: 'almanac',
  blockchain: 'Nativecoin',
  createdAt: 1,
  counts: { 200: 0, 201: 0, 202: 0, 402: 0, 409: 0 },
  payments: [],
}

function item(name: string, fields: Partial<Item>): Item {
  return {
    id: name,
    name,
    mimetype: 'text/html',
    blockchain: 'Nativecoin',
    status: '201 Created',
    size: 3,
    received: 3,
    merging: false,
    written: 0,
    confirmed: 0,
    createdAt: 1,
    folder: undefined,
    path: undefined,
    files: undefined,
    message: undefined,
    storedSize: undefined,
    transactions: undefined,
    txids: undefined,
    index: undefined,
    cid: undefined,
    embed: undefined,
    directory: undefined,
    hidden: undefined,
    sites: undefined,
    links: { content: '', web: undefined, site: '' },
    ...fields,
  }
}

const within = { folder: 'f1', path: 'almanac' }
const itemOf = (item: Item, name: string): OrderItem => {
  const none = { message: undefined, transactions: 0, written: 0, confirmed: 0 }
  return { id: item.id, name, size: item.size, state: itemState(item), ...none }
}
const held = new Map([['index.html', 3]])
const read = (items: Item[]) => ({ ...orderOfItems(ORDER, items, held, itemOf), account: 'u1' })

it('a folder on a chain is one website where it was merged whole, and files where one of them was by itself', () => {
  const directory = item('almanac', { status: '402 Payment Required', files: 1 })
  const file = item('index.html', { ...within, status: '402 Payment Required' })
  const whole = read([directory, file])
  expect(isWhole(whole)).toBe(true)
  expect(whole.items.map(({ name }) => name)).toEqual(['almanac'])
  const files = read([file])
  expect(files.website).toBe(false)
  expect(files.items.map(({ name }) => name)).toEqual(['almanac/index.html'])
})

it('before anything of a folder is merged, its form is asked for, but where this browser knows it', () => {
  const found = read([item('index.html', within)])
  expect(needsFolderForm(found)).toBe(true)
  expect(needsFolderForm(withServerState({ ...found, website: true }, found))).toBe(false)
  expect(needsFolderForm(read([item('letter.txt', {})]))).toBe(false)
  expect(needsFolderForm({ ...found, blockchain: 'IPFS' })).toBe(false)
})

it('a file whose upload was begun and not recorded before the page ended has the id that the service knows', () => {
  const server = read([item('index.html', { ...within, received: 3 })])
  const begun = { ...server, files: server.files.map((file) => ({ ...file, id: undefined, held: 0 })) }
  expect(withServerState(begun, server).files).toMatchObject([
    { path: 'almanac/index.html', id: 'index.html', held: 3 },
  ])
  const removed = { ...begun, files: begun.files.map((file) => ({ ...file, state: 'removed' as const })) }
  expect(withServerState(removed, server).files).toHaveLength(2)
})
