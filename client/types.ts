import type { Blockchain, StorageTarget } from '../protocol/chains.ts'

export type { Blockchain, StorageTarget }

/** `201 Created`: being uploaded; then waiting for payment; paid and being written; stored; needing an operator. */
export type ItemStatus = '201 Created' | '402 Payment Required' | '202 Accepted' | '200 OK' | '409 Conflict'

/** A stored file or website. Sizes in bytes, times in Unix seconds. */
export interface Item {
  id: string
  name: string
  mimetype: string
  blockchain: StorageTarget
  status: ItemStatus
  message: string | undefined
  size: number
  storedSize: number | undefined
  /** In order; there once every transaction is confirmed. Lists leave out more than 100. */
  txids: string[] | undefined
  cid: string | undefined
  /** Data transactions that it takes, from merge on. */
  transactions: number | undefined
  written: number
  confirmed: number
  createdAt: number
  folder: string | undefined
  /** What was received for it, in coins. */
  received: string | undefined
  links: { content: string; web: string | undefined; site: string }
  embed: string | undefined
}

/** Where an item's bytes are, as the service names it: what is read from there is verified against this name. */
export type ContentSource = { blockchain: Blockchain; txids: string[] } | { blockchain: 'IPFS'; cid: string }

/** What is to be paid, and where to. Amounts are decimal numbers of coins, as text. */
export interface PaymentRequest {
  address: string
  amount: string
  received: string
  /** BIP 21 link with what is left to pay. */
  uri: string
  /** Unix seconds until which the price holds. */
  expiresAt: number
  confirmations: number
  message: string
  state: string | undefined
  networkFee: string | undefined
  storageFee: string | undefined
  blockchain: StorageTarget | undefined
  ids: string[] | undefined
}

/** How a payment was answered: nothing is left to pay, or this request is. */
export type Payment = { paid: true; message: string } | { paid: false; request: PaymentRequest }

/** What files would cost now: an upper bound, in coins. */
export interface Estimate {
  amount: string
  networkFee: string
  storageFee: string
  /** What it is dearer for the chain's smallest payment. */
  dustFee: string | undefined
  /** The chain whose coin it is. */
  paidIn: StorageTarget | undefined
  transactions: number
  /** Unix seconds. */
  readAt: number
}

/** A storage target, and whether it can be had now. */
export interface Target {
  blockchain: StorageTarget
  available: boolean
  /** Why it is not available. */
  reason: string | undefined
  paidIn: StorageTarget | undefined
  maxFileBytes: number | undefined
  confirmations: number | undefined
  /** Usual minutes until an item is stored. */
  minutes: number | undefined
}

export interface Profile {
  id: string
  email: string
  firstName: string
  lastName: string
  role: string
  permissions: string[]
  status: number
  createdAt: number
  /** By chain, in coins. */
  balances: Record<string, string>
  addresses: Record<string, string | undefined>
}

export interface Folder {
  id: string
  name: string
  blockchain: StorageTarget | undefined
  parent: string | undefined
}

/** One data transaction of an item. */
export interface ItemTransaction {
  index: number
  bytes: number
  state: string
  /** Blocks that hold it and follow it. */
  depth: number | undefined
  /** Only once it is deep enough. */
  txid: string | undefined
  /** Unix seconds. */
  lastSeen: number | undefined
}

export interface Withdrawal {
  id: string
  blockchain: Blockchain
  address: string
  amount: string
  fee: string | undefined
  state: string
  txid: string | undefined
  createdAt: number | undefined
}

export interface ApiKey {
  id: string
  name: string
  scopes: string[]
  /** Unix seconds. */
  expiresAt: number | undefined
  createdAt: number | undefined
  lastUsedAt: number | undefined
}

export interface Domain {
  host: string
  item: string | undefined
  site: string | undefined
  /** `active`, `waiting`, or what Cloudflare says of the custom hostname. */
  status: string
  /** The DNS record that proves the claim. */
  record: string | undefined
  /** What the last check found, in order. */
  steps: DomainStep[]
}

/** One thing that has to be right for a domain to show its site. */
export interface DomainStep {
  step: string
  /** `ok`, `waiting`, `failed`, or `unknown` where it was not looked at or could not be. */
  state: string
  found: string | undefined
  /** What should be there instead. */
  wanted: string | undefined
  /** Unix seconds. */
  checkedAt: number | undefined
}

export interface Site {
  id: string
  name: string
  host: string | undefined
  url: string | undefined
  /** Number of the version that it shows, and that version's item. */
  version: number | undefined
  item: string | undefined
  /** Unix seconds. */
  createdAt: number | undefined
}

export interface SiteVersion {
  number: number
  item: string
  name: string | undefined
  note: string | undefined
  /** The version on its own host. */
  url: string | undefined
  /** Unix seconds. */
  createdAt: number | undefined
}

/** One move of the account's money; negative amounts leave it. */
export interface LedgerEntry {
  id: string
  blockchain: Blockchain
  kind: string
  change: string
  /** What the account has behind it. */
  balance: string | undefined
  subject: string | undefined
  /** Unix seconds. */
  at: number
}

/** A payment request or a deposit, with what became of it. */
export interface PaymentRecord {
  kind: string
  address: string
  blockchain: StorageTarget
  state: string
  amount: string | undefined
  received: string
  uri: string | undefined
  /** Unix seconds. */
  expiresAt: number | undefined
  confirmations: number | undefined
  ids: string[]
}

/** One event of the account. `data` is what the API's description says of its type. */
export interface ServiceEvent {
  /** Absent on snapshots, which are not kept. */
  id: string | undefined
  type: string
  data: unknown
}
