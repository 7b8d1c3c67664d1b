import type { ItemState } from '../../client/item-state.ts'
import type { StorageTarget } from '../../protocol/chains.ts'
import type { Progress } from './blocks-without.ts'

/** The progress of one file of an order. */
type FileState = 'waiting' | 'uploading' | 'uploaded' | 'failed' | 'removed'

/** A file of an order, as the browser stores it across reloads. */
export interface OrderFile {
  path: string
  size: number
  mimetype: string
  lastModified: number
  state: FileState
  /** Id of its upload, which is the item's id; undefined until the service has created it. */
  id: string | undefined
  /** Bytes that the service has acknowledged. */
  held: number
  /** The error of a failed file: a code of the API, and its sentence. */
  problem: { status: number; code: string; message: string } | undefined
}

/** The result of one press on Store. */
export interface Order {
  id: string
  /** The account's id. */
  account: string
  blockchain: StorageTarget
  /** Unix seconds. */
  createdAt: number
  files: OrderFile[]
  /** Items that are paid and written: the files on a chain, the top files and folders on IPFS. Empty before. */
  items: OrderItem[]
  /** Addresses of its payment requests, in the order of payment. */
  payments: string[]
  paused: boolean
  /** Ids of its folders, by path. */
  folders?: Record<string, string> | undefined
  /** The last progress of its writing; undefined before. */
  progress?: Progress | undefined
  /** Whether each top folder becomes one website on a chain; undefined if another device chose. */
  website?: boolean | undefined
  /** Whether content of several transactions gets an index; undefined for the chain's default. */
  index?: boolean | undefined
  /** The site that it will be a version of. */
  site?: SiteOfOrder | undefined
}

/** What an order stores of its site. */
export interface SiteOfOrder {
  /** Undefined for a new site, which is made once the website is merged. */
  id: string | undefined
  name: string
  /** The readable address that the site gets once the website is paid for; undefined for none. */
  address?: string | undefined
  /** The URL of that address, once the site has it. */
  addressUrl?: string
  /** Whether the website is only added once it is stored, and shown when its owner says so. */
  tryFirst?: boolean
  /** Whether the website is a version of the site, which without `tryFirst` the site shows once it is stored. */
  added?: boolean
}

/** What an order stores of one of its items. */
export interface OrderItem {
  id: string
  name: string
  size: number
  /** Its state; `refused` where its merge was. */
  state: ItemState | 'refused'
  /** The reason why it stopped, or what it waits for. */
  message: string | undefined
  transactions: number
  written: number
  confirmed: number
}

export const STEPS = ['upload', 'prepare', 'pay', 'write', 'done'] as const
export type Step = (typeof STEPS)[number]

/** The current step of an order. A failed file blocks the next step until it is retried or removed. */
export function orderStep(order: Order): Step {
  if (order.files.some(({ state }) => state === 'waiting' || state === 'uploading' || state === 'failed'))
    return 'upload'
  if (!order.files.some(({ state }) => state === 'uploaded')) return 'upload'
  // If merging refused everything, the order stays at this step unless something else is merging.
  if (isRefused(order) || order.items.length === 0 || order.items.some(({ state }) => state === 'uploading'))
    return 'prepare'
  if (order.items.some(({ state }) => state === 'unpaid')) return 'pay'
  if (order.items.some(({ state }) => state !== 'stored' && state !== 'refused')) return 'write'
  return 'done'
}

/** Whether each top folder of the order becomes one item. */
export function isWhole({ blockchain, website }: Pick<Order, 'blockchain' | 'website'>): boolean {
  return blockchain === 'IPFS' || website === true
}

/** Whether the user must choose the form of the folders before anything is merged. */
export function needsFolderForm({ blockchain, website, files, items }: Order): boolean {
  const inFolder = files.some(({ path, state }) => state !== 'removed' && path.includes('/'))
  return blockchain !== 'IPFS' && website === undefined && items.length === 0 && inFolder
}

/** Whether merging refused everything that was uploaded. Then the order cannot continue. */
export function isRefused({ items }: Order): boolean {
  return items.length > 0 && items.every(({ state }) => state === 'refused')
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
    stored: sum((item) => Number(item.state === 'stored')),
    stopped: sum((item) => Number(item.state === 'stopped')),
  }
}

/** Whether the chosen file may be the one of an interrupted upload, by name and size; its hashes decide. */
export function mayMatch(file: { path: string; size: number }, wanted: { name: string; size: number }): boolean {
  return file.size === wanted.size && file.path.split('/').at(-1) === wanted.name
}
