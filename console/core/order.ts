import type { StorageTarget } from '../../protocol/chains.ts'
import type { Progress } from './blocks-without.ts'

/** How far one file of an order is. */
type FileState = 'waiting' | 'uploading' | 'uploaded' | 'failed' | 'removed'

/** A file of an order; what of it the browser keeps over a reload. */
export interface OrderFile {
  path: string
  size: number
  mimetype: string
  lastModified: number
  state: FileState
  /** Of its upload, which is the item's id; undefined until the service knows it. */
  id: string | undefined
  /** Bytes that the service has acknowledged. */
  held: number
  /** Why it failed: a code of the API, and its sentence. */
  problem: { status: number; code: string; message: string } | undefined
}

/** What one press stores. */
export interface Order {
  id: string
  /** The account's id. */
  account: string
  blockchain: StorageTarget
  /** Unix seconds. */
  createdAt: number
  files: OrderFile[]
  /** Items that are paid for and written: the files on a chain, the top files and folders on IPFS. Empty before. */
  items: OrderItem[]
  /** Addresses of its payment requests, in the order in which they are paid. */
  payments: string[]
  paused: boolean
  /** Ids of its folders, by path. */
  folders?: Record<string, string> | undefined
  /** When something of its writing moved last; undefined before. */
  progress?: Progress | undefined
  /** Whether each top folder becomes one website on its chain; undefined where that was chosen on another device. */
  website?: boolean | undefined
  /** Whether content of several transactions gets an index; undefined: as its chain has it. */
  index?: boolean | undefined
  /** The site that it is stored for. */
  site?: SiteOfOrder | undefined
}

/** What an order keeps of the site that it is to be a version of. */
export interface SiteOfOrder {
  id: string
  name: string
}

/** What the order knows of one of its items. */
export interface OrderItem {
  id: string
  name: string
  size: number
  /** The number of its status. */
  status: number
  /** What stopped it, or what it waits for. */
  message: string | undefined
  transactions: number
  written: number
  confirmed: number
}

export const STEPS = ['upload', 'prepare', 'pay', 'write', 'done'] as const
export type Step = (typeof STEPS)[number]

/** The step that an order is at. A file that failed holds it until it is tried again or left out. */
export function orderStep(order: Order): Step {
  if (order.files.some(({ state }) => state === 'waiting' || state === 'uploading' || state === 'failed'))
    return 'upload'
  if (!order.files.some(({ state }) => state === 'uploaded')) return 'upload'
  // What merging refused stays at this step, unless something else goes on.
  if (order.items.every(({ status }) => status === 422) || order.items.some(({ status }) => status === 201))
    return 'prepare'
  if (order.items.some(({ status }) => status === 402)) return 'pay'
  if (order.items.some(({ status }) => status === 202 || status === 409)) return 'write'
  return 'done'
}

/** Whether each top folder of the order becomes one item. */
export function isWhole({ blockchain, website }: Pick<Order, 'blockchain' | 'website'>): boolean {
  return blockchain === 'IPFS' || website === true
}

/** Whether it has to be said how the folders of the order are stored, before anything of it is merged. */
export function asksForm({ blockchain, website, files, items }: Order): boolean {
  const inFolder = files.some(({ path, state }) => state !== 'removed' && path.includes('/'))
  return blockchain !== 'IPFS' && website === undefined && items.length === 0 && inFolder
}

/** Whether merging refused all that was uploaded: then nothing of the order goes on. */
export function isRefused({ items }: Order): boolean {
  return items.length > 0 && items.every(({ status }) => status === 422)
}

/** Sums over all items of an order. */
export function writeProgress(items: readonly OrderItem[]): {
  transactions: number
  written: number
  confirmed: number
  stored: number
  stopped: number
} {
  const sum = (of: (item: OrderItem) => number) => items.reduce((total, item) => total + of(item), 0)
  return {
    transactions: sum((item) => item.transactions),
    written: sum((item) => item.written),
    confirmed: sum((item) => item.confirmed),
    stored: sum((item) => Number(item.status === 200)),
    stopped: sum((item) => Number(item.status === 409)),
  }
}

/** Ids in lists that one call takes. */
export function inGroups<Entry>(entries: readonly Entry[], most: number): Entry[][] {
  const groups: Entry[][] = []
  for (let start = 0; start < entries.length; start += most) groups.push(entries.slice(start, start + most))
  return groups
}

/** Folders that must exist for `paths`, each after the one it is in. */
export function foldersOf(paths: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const path of paths) {
    const names = path.split('/')
    for (let depth = 1; depth < names.length; depth++) folders.add(names.slice(0, depth).join('/'))
  }
  return [...folders].sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
}

/** Whether the chosen file can be the one whose upload was interrupted; its hashes decide. */
export function looksLike(file: { path: string; size: number }, wanted: { name: string; size: number }): boolean {
  return file.size === wanted.size && file.path.split('/').at(-1) === wanted.name
}
