// Written by scripts/api-types/generate.ts from contract/: change it there.
/* biome-ignore-all format: it is written, not edited */

export interface ApiKey {
  id: string
  name: string
  scopes: string[]
  /** When it was made, in Unix seconds. */
  createdAt: number
  /** In Unix seconds; null: it does not end. */
  expiresAt: number | undefined
  /** To the minute, in Unix seconds. */
  lastUsedAt: number | undefined
  /** By blockchain; null: no limit but the balance. */
  spending: Record<string, string> | undefined
}

export type Blockchain = 'Nativecoin' | 'Dogecoin' | 'Bitcoin'

export interface CreatedItem {
  id: string
  chunkSize: number
  chunks: number
}

export interface Domain {
  host: string
  /** The item that it shows; null for a site. */
  item: string | undefined
  /** The site that it shows; null for an item. */
  site: string | undefined
  /** `active`, or what Cloudflare says of the custom hostname; `waiting` for its record, or `stopped` after a day of that. */
  status: string
  /** The DNS record that proved the claim, or is waited for. */
  record: string
  /** Until when DNS is asked each minute, in Unix seconds. */
  waitsUntil: number | undefined
  /** The records of which one is enough. */
  records: {
  type: string
  name: string
  content: string
}[]
  /** What the last check found, in order. */
  steps: DomainStep[]
}

export interface DomainStep {
  step: string
  /** `unknown`: not looked at yet, or it could not be asked, which is no failure. */
  state: string
  found: string | undefined
  /** What should be there instead; null where it is right. */
  wanted: string | undefined
  /** In Unix seconds; null before the first look. */
  checkedAt: number | undefined
}

export interface Estimate {
  blockchain: StorageTarget
  paidIn: Blockchain
  /** What it costs at most, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  amount: string
  /** The network's fees, with a margin, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  networkFee: string
  /** This service's price, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  storageFee: string
  /** Added because the network relays no smaller output; only where it is more than nothing, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  dustFee: string | undefined
  /** Data transactions at most. */
  transactions: number
  /** When the fee rate was read, in Unix seconds. */
  readAt: number
}

export interface Folder {
  id: string
  name: string
  blockchain: StorageTarget
  /** The folder that it lies in. */
  parent: string | undefined
  /** The item that it was merged into. */
  item: string | undefined
  /** Files in it and below it. */
  items: number
  /** When it was made, in Unix seconds. */
  createdAt: number
}

export interface Item {
  id: string
  name: string
  mimetype: string
  blockchain: StorageTarget
  /** The folder that it lies in. */
  folder: string | undefined
  /** Names of the folders that it lies in, the outermost first, joined by `/`. */
  path: string | undefined
  /** How many files a merged folder has. */
  files: number | undefined
  status: ItemStatus
  /** What there is to say of the status. */
  message: string | undefined
  /** Only while the merge goes on, which has no percentage; the status is still `201 Created`. */
  merging: boolean | undefined
  /** Bytes of the content. */
  size: number
  /** Bytes that are stored, from merge on: compressed for a chain, all blocks for IPFS. */
  storedSize: number | undefined
  /** In order; there once every transaction is confirmed. Lists leave them out where they are more than 100. */
  txids: string[] | undefined
  /** Of an IPFS item, from merge on. */
  cid: string | undefined
  /** Data transactions that it takes, from merge on. */
  transactions: number | undefined
  /** Transactions sent to the chain. */
  written: number
  /** Transactions with all confirmations. */
  confirmed: number
  /** Bytes that are held of an upload; in the answer of a single item, while it is being uploaded. */
  received: number | undefined
  /** When it was made, in Unix seconds. */
  createdAt: number
  links: {
  /** The decoded bytes. */
  content: string
  /** The same by txids or CID; null where too long. */
  web: string | undefined
  /** The item as a site on an origin of its own. */
  site: string
}
  /** HTML that shows the item, verified by the page helper. */
  embed: string | undefined
}

export type ItemStatus = '201 Created' | '402 Payment Required' | '202 Accepted' | '200 OK' | '409 Conflict'

export interface ItemTransaction {
  /** From 0, in the order of the content. */
  index: number
  /** Null until the transaction is deep enough. */
  txid: string | undefined
  /** Of the stored content that it carries. */
  bytes: number
  /** Not sent yet; sent; in a block; as deep as is needed. */
  state: string
  /** Blocks, its own included; 0 in none. */
  depth: number
  /** When it was last known to be in the chain or with the node, in Unix seconds. */
  lastSeen: number | undefined
}

export interface LedgerEntry {
  id: string
  /** When it was moved, in Unix seconds. */
  at: number
  blockchain: Blockchain
  /** `late`: it came when its request had ended; `excess`: it was paid already; `manual`: an act of the operator. */
  kind: string
  /** Where it came from or went to: an address, or the names of the first items that were paid for. */
  subject: string | undefined
  /** What was moved: more than 0 in, less out, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  change: string
  /** The balance after it, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  balance: string
}

export interface Payment {
  kind: string
  address: string
  blockchain: StorageTarget
  paidIn: Blockchain
  state: string
  /** What a request asks, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  amount: string | undefined
  /** Of the amount, the network's fees with a margin, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  networkFee: string | undefined
  /** Of the amount, the price of the service, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  storageFee: string | undefined
  /** Of the amount, what is there because the network relays no smaller output; absent where nothing is, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  dustFee: string | undefined
  /** What has been seen at the address, at any depth, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  received: string
  /** Of that, what became balance: late, in excess, or a deposit, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  credited: string
  /** Link by BIP 21 and BIP 321 with what is left to pay. */
  uri: string
  /** How many a payment needs. */
  confirmations: number
  /** How many items a request pays for. */
  items: number
  ids: string[]
  /** Of the first three of them. */
  names: string[]
  transactions: {
  txid: string
  /** What it pays to the address, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  amount: string
  depth: number
  /** When it was first seen, in Unix seconds. */
  seenAt: number
  /** After the request expired. */
  late: boolean
  /** It is in no block, and in no mempool any more. */
  replaced: boolean
}[]
  /** When it was made, in Unix seconds. */
  createdAt: number
  /** Until when the price holds, in Unix seconds. */
  expiresAt: number | undefined
  /** When it was paid, in Unix seconds. */
  settledAt: number | undefined
  /** Data transactions that a request pays for. */
  transactionCount: number | undefined
  /** Bytes that a request pays for. */
  storedSize: number | undefined
}

export interface PaymentRequest {
  message: string
  /** What is to be paid, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  amount: string
  /** Of the amount, the network's fees with a margin, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  networkFee: string | undefined
  /** Of the amount, the price of the service, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  storageFee: string | undefined
  /** Of the amount, what is there because the network relays no smaller output; absent where nothing is, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  dustFee: string | undefined
  /** Where to. It is used once. */
  address: string
  /** Link by BIP 21 and BIP 321 with what is left to pay. */
  uri: string
  /** Until when the price holds, in Unix seconds. */
  expiresAt: number
  /** How many a payment needs. */
  confirmations: number
  /** What has been seen at the address, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  received: string
}

export type Permissions = {
  name: string
}[]

export interface Profile {
  id: string
  email: string
  firstName: string
  lastName: string
  role: {
  name: string
  permissions: Permissions
}
  permissions: Permissions
  /** Closed, active, email pending, identity pending. */
  status: number
  /** When it was made, in Unix seconds. */
  createdAt: number
  addresses: Record<string, string | undefined>
  balances: Record<string, string>
  pending: Record<string, string>
  reserved: Record<string, string>
  quotas: {
  unpaidItems: {
  limit: number
  used: number
}
  unpaidBytes: {
  limit: number
  used: number
}
  merges: {
  limit: number
  used: number
}
  folders: {
  limit: number
  used: number
}
  domains: {
  limit: number
  used: number
}
  sites: {
  limit: number
  used: number
}
  unusedAddresses: {
  limit: number
  used: number
}
  keys: {
  limit: number
  used: number
}
}
  /** The API key that it was asked with. */
  key: ApiKey | undefined
}

export interface Site {
  id: string
  name: string
  /** Its own host under the storage host. */
  host: string
  url: string
  /** The number of the current version; null before the first. */
  version: number | undefined
  /** The item that is shown. */
  item: string | undefined
  /** How many there are, which is the number of the latest. */
  versions: number
  /** When it was made, in Unix seconds. */
  createdAt: number
}

export interface SiteVersion {
  number: number
  item: string
  /** Of its item. */
  name: string
  /** What its maker said is new in it. */
  note: string | undefined
  blockchain: StorageTarget
  /** Bytes of the content. */
  size: number
  /** Of the version on a host of its own, current or not. */
  url: string
  /** When it was added, in Unix seconds. */
  createdAt: number
  /** When it was current, the latest first. */
  periods: {
  /** When it became current, in Unix seconds. */
  from: number
  /** When another one did; null while it is current. */
  until: number | undefined
  /** Who made it current. */
  by: string
}[]
}

export interface Source {
  blockchain: StorageTarget
  name: string
  mimetype: string
  /** Bytes of the content. */
  size: number
  /** Of an item on a chain, in order. */
  txids: string[] | undefined
  /** Of an item on IPFS. */
  cid: string | undefined
}

export type StorageTarget = 'Nativecoin' | 'Dogecoin' | 'Bitcoin' | 'IPFS'

export interface Target {
  blockchain: StorageTarget
  available: boolean
  /** A sentence: why nothing can be stored there now. */
  reason: string | undefined
  paidIn: Blockchain
  /** Of a file by its own size; more is refused before the upload. */
  maxFileBytes: number
  /** Of one order, or of one folder on IPFS. */
  maxFiles: number
  /** Data bytes of one transaction; null for IPFS. */
  maxDataBytes: number | undefined
  /** Depth at which a payment settles. */
  confirmations: number
  /** Usual minutes from a payment until it is written, before its depth. */
  minutes: number
}

export interface Withdrawal {
  id: string
  blockchain: Blockchain
  address: string
  /** What is sent, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  amount: string
  /** What left the balance beside it, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double. */
  fee: string
  /** `failed`: it is not sent before an operator acts; `message` says why. */
  state: string
  /** Why it failed, or what keeps it from being sent for now. */
  message: string | undefined
  /** Once it is sent. */
  txid: string | undefined
  /** How deep it is on the chain. */
  depth: number
  /** When it was asked for, in Unix seconds. */
  createdAt: number
}

/** Each by its name. */
export interface Answers {
  ApiKey: ApiKey
  Blockchain: Blockchain
  CreatedItem: CreatedItem
  Domain: Domain
  DomainStep: DomainStep
  Estimate: Estimate
  Folder: Folder
  Item: Item
  ItemStatus: ItemStatus
  ItemTransaction: ItemTransaction
  LedgerEntry: LedgerEntry
  Payment: Payment
  PaymentRequest: PaymentRequest
  Permissions: Permissions
  Profile: Profile
  Site: Site
  SiteVersion: SiteVersion
  Source: Source
  StorageTarget: StorageTarget
  Target: Target
  Withdrawal: Withdrawal
}
