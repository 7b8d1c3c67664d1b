import { randomBytes } from 'node:crypto'
import { type StoredContent, storeOnChain } from './stored-content.ts'

type Chain = 'Nativecoin' | 'Dogecoin' | 'Bitcoin'
export type Target = Chain | 'IPFS'

export interface FakeItem {
  id: string
  name: string
  mimetype: string
  hidden?: boolean
  blockchain: Target
  status: '201 Created' | '402 Payment Required' | '202 Accepted' | '200 OK' | '409 Conflict'
  message: string | null
  size: number
  bytes: Buffer
  folder: string | null
  /** The UUID that the client gave what it stores together. */
  order?: string | undefined
  createdAt: number
  content: StoredContent | undefined
  /** Of a directory. */
  files?: number
  written: number
  confirmed: number
}

export interface FakeFolder {
  id: string
  name: string
  blockchain: Target
  parent: string | null
  /** The item that it was merged into. */
  item?: string | null
  createdAt: number
}

export interface FakePayment {
  address: string
  blockchain: Target
  ids: string[]
  state: 'open' | 'seen' | 'settled' | 'expired' | 'cancelled'
  amount: bigint
  received: bigint
  /** What of it became balance. */
  credited?: bigint
  transactions: { txid: string; amount: bigint; depth: number; seenAt: number; late: boolean; replaced: boolean }[]
  createdAt: number
  expiresAt: number
}

export interface FakeWebhook {
  id: string
  url: string
  types: string[]
  createdAt: number
  failingSince: number | null
  problem: string | null
  offAt: number | null
  pausedAt: number | null
  madeBy: 'login'
  key: null
}

/** The state of the service, for one account. */
export interface FakeState {
  items: Map<string, FakeItem>
  folders: Map<string, FakeFolder>
  payments: Map<string, FakePayment>
  /** Raw transactions by txid. */
  chain: Map<string, Buffer>
  /** What transactions hold, by txid. */
  decoded: Map<string, Record<string, unknown>[]>
  permissions: string[]
  /** Lifetime of access tokens, in seconds. */
  tokenSeconds: number
  /** Seconds since the password was entered. */
  loggedInAgo: number
  /** Whether the cookie of a session is live. */
  signedIn: boolean
  verified: boolean
  balances: Record<Chain, bigint>
  sites: Record<string, unknown>[]
  versions: Record<string, unknown>[]
  domains: Record<string, unknown>[]
  problems: Record<string, unknown>[]
  sessions: { jti: string; current: boolean; device: string | null; country: string | null }[]
  webhooks: FakeWebhook[]
  /** Addresses of sites that were withdrawn, each with its reason. */
  withdrawn: string[]
  /** Ids of reports that were dismissed. */
  dismissed: Set<string>
  letter: StoredContent | undefined
  passkeys: boolean
  /** Where it is less than what a file may have by its own size. */
  maxIncompressibleBytes: Partial<Record<Target, number>>
  /** Refuses merges for this target with this sentence. */
  refusedMerges: { blockchain: Target; message: string } | undefined
  takesDomains: boolean
  /** Where the faucet of this machine is. */
  faucet: string | null
  /** What the operator names. */
  links: { help: string | null; terms: string | null; privacy: string | null; contact: string | null }
  /** What the account wrote as the buyer on receipts. */
  buyer: string
  /** The language that the account has set. */
  language: 'en' | 'de' | 'es' | null
  prices: { asOf: number | null; source: string | null; rates: Record<string, Record<string, number>> }
  streams: number
}

export function createState(): FakeState {
  return {
    items: new Map(),
    folders: new Map(),
    payments: new Map(),
    chain: new Map(),
    decoded: new Map(),
    permissions: ['store', 'pay'],
    tokenSeconds: 1800,
    loggedInAgo: 60,
    signedIn: false,
    verified: false,
    balances: { Nativecoin: 4_120_000n, Dogecoin: 1_820_000_000n, Bitcoin: 61_200n },
    sites: [],
    withdrawn: [],
    versions: [],
    domains: [],
    problems: [],
    sessions: [
      { jti: 's1', current: true, device: 'Firefox on Linux', country: 'DE' },
      { jti: 's2', current: false, device: 'Safari on iPhone', country: null },
      { jti: 's3', current: false, device: null, country: null },
    ],
    webhooks: [],
    dismissed: new Set(),
    letter: undefined,
    passkeys: false,
    maxIncompressibleBytes: {},
    refusedMerges: undefined,
    takesDomains: true,
    faucet: null,
    links: { help: null, terms: null, privacy: null, contact: null },
    buyer: '',
    language: null,
    prices: { asOf: null, source: null, rates: {} },
    streams: 0,
  }
}

/** Makes a folder, in another one or in none. */
export function addFolder(state: FakeState, fields: Partial<FakeFolder> & { name: string }): FakeFolder {
  const folder: FakeFolder = {
    id: objectId(),
    blockchain: 'Nativecoin',
    parent: null,
    createdAt: nowSeconds(),
    ...fields,
  }
  state.folders.set(folder.id, folder)
  return folder
}

export function objectId(): string {
  return `6b01${randomBytes(10).toString('hex')}`
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** Adds an item of this status to the library. */
export function addItem(state: FakeState, fields: Partial<FakeItem> & { name: string }): FakeItem {
  const bytes = fields.bytes ?? Buffer.from(`Text of ${fields.name}.\n`.repeat(8))
  const item: FakeItem = {
    id: objectId(),
    mimetype: 'text/plain',
    blockchain: 'Nativecoin',
    status: '200 OK',
    message: null,
    size: bytes.length,
    folder: null,
    createdAt: nowSeconds(),
    content: undefined,
    written: 0,
    confirmed: 0,
    ...fields,
    bytes,
  }
  state.items.set(item.id, item)
  if (item.status === '200 OK') store(state, item)
  return item
}

/** Writes an item to the chain at once. */
export function store(state: FakeState, item: FakeItem): void {
  const content = storeOnChain(item.bytes, item.blockchain === 'Nativecoin' ? 102_480 : 80)
  content.txids.forEach((txid, index) => {
    const transaction = content.transactions[index]
    if (transaction) state.chain.set(txid, transaction)
  })
  item.content = content
  item.status = '200 OK'
  item.written = content.txids.length
  item.confirmed = content.txids.length
}
