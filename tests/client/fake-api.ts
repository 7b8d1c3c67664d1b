import { createHash } from 'node:crypto'
import { holdToDescription } from '../kit/hold-to-description.ts'

interface StoredItem {
  id: string
  name: string
  mimetype: string
  blockchain: string
  size: number
  folder: string | undefined
  status: string
  chunks: Map<number, Buffer>
  chunkCount: number
  partOf: string | undefined
  order: string | undefined
}

interface StoredFolder {
  id: string
  name: string
  blockchain: string
  parent: string | undefined
  order: string | undefined
  merged?: string
}

interface Body {
  [name: string]: unknown
  items?: Body[]
  ids?: string[]
  files?: { path: string; size: number; sha256: string; mimetype: string }[]
}

export interface SeenRequest {
  method: string
  path: string
  headers: Headers
  body: Body
}

const CHUNK = 1000

/**
 * The storing and paying part of the API in memory, as a fetch, with the paths, fields and codes of its description.
 * `before` is called with each request and may answer it, throw as a network does, or kill the caller behind it.
 */
export class FakeApi {
  readonly items = new Map<string, StoredItem>()
  readonly folders = new Map<string, StoredFolder>()
  readonly requests: SeenRequest[] = []
  readonly payments = new Map<string, { address: string; ids: string[] }>()
  /** Bytes of chunks that arrived. */
  received = 0
  charges = 0
  balance = 0
  price = 100
  known = new Set<string>()
  /** What it says to a folder that it refuses. */
  refusedFolders: ((folder: Body) => { code: string; message: string } | undefined) | undefined
  /** Stored bytes of each item; null if the service does not report them. */
  storedSize: number | null = null
  /** What it finds wrong with any `_headers` and `_redirects`. */
  siteProblems: { file: string; line: number; text: string; fault: string; effect: string }[] = []
  /** Limits of an account that has nothing yet. */
  readonly limits: Record<string, number> = { ...QUOTAS }
  /** Whether it tells which items hold a content. */
  knowsItems = false
  before: (request: SeenRequest) => Response | undefined | Promise<Response | undefined> = () => undefined
  after: (request: SeenRequest) => void = () => {}
  readonly #answers = new Map<string, { status: number; text: string }>()
  #ids = 0

  readonly fetch = async (address: string, init: RequestInit): Promise<Response> => {
    const url = new URL(address)
    const headers = new Headers(init.headers)
    const text = typeof init.body === 'string' ? init.body : ''
    const body: Body = text === '' ? {} : JSON.parse(text)
    const request = { method: init.method ?? 'GET', path: url.pathname + url.search, headers, body }
    this.requests.push(request)
    const early = await this.before(request)
    if (early) return early
    // Without a stream of events, what it has is asked for again and again.
    if (url.pathname === '/v0/events') {
      return Response.json({ code: 'not_found', message: 'There is no such path.' }, { status: 404 })
    }
    const key = headers.get('Idempotency-Key')
    const known = key === null ? undefined : this.#answers.get(key)
    const answer = known ?? this.#answer(request.method, url, body, init.body)
    if (key !== null) this.#answers.set(key, answer)
    this.after(request)
    const { status, text: answered } = answer
    const given = new Headers({ 'Content-Type': 'application/json', 'X-Request-Id': `request-${this.requests.length}` })
    holdToDescription({ ...{ method: request.method, pathname: url.pathname, status }, headers: given, body: answered })
    return new Response(status === 204 ? null : answered, { status, headers: given })
  }

  #answer(method: string, url: URL, body: Body, bytes: unknown): { status: number; text: string } {
    const [, , kind, id = '', action = '', index = ''] = url.pathname.split('/')
    const json = (status: number, value: unknown) => ({ status, text: JSON.stringify(value) })
    const item = this.items.get(id)
    if (kind === 'user') {
      const quotas = Object.entries(this.limits).map(([name, limit]) => [name, { limit, used: 0 }])
      return json(200, { ...profile, quotas: Object.fromEntries(quotas) })
    }
    if (kind === 'site' && id === 'problems') return json(200, { problems: this.siteProblems, more: false })
    if (kind === 'prices') return json(200, { asOf: null, source: null, rates: {} })
    if (kind === 'estimate') {
      const amount = (this.price * (body.files?.length ?? 0)) / 1e8
      const { blockchain } = body
      const paidIn = blockchain === 'IPFS' ? 'Nativecoin' : blockchain
      return json(200, { blockchain, paidIn, amount, networkFee: amount, storageFee: 0, transactions: 1, readAt: 1 })
    }
    if (kind === 'folder' && method === 'POST' && id === '') {
      const refused = this.refusedFolders?.(body)
      return refused === undefined ? json(201, { id: this.#folder(body) }) : json(400, refused)
    }
    if (kind === 'order' && method === 'DELETE') {
      for (const [key, one] of this.folders) if (one.order === id) this.folders.delete(key)
      for (const [key, one] of this.items) if (one.order === id) this.items.delete(key)
      return { status: 204, text: '' }
    }
    if (kind === 'folder' && action === 'known') {
      const linked = (body.files ?? []).filter(({ sha256 }) => this.known.has(sha256))
      return json(200, { known: linked.map(({ path }) => path) })
    }
    if (kind === 'folder' && action === 'merge') return this.#mergeFolder(id)
    if (kind === 'item' && method === 'POST' && id === '') {
      return json(201, body.items ? { items: body.items.map((one) => this.#create(one)) } : this.#create(body))
    }
    if (kind === 'item' && id === 'merge') {
      const ids = Array.isArray(body.items) ? body.items.map(String) : []
      return json(200, { items: ids.map((one) => ({ id: one, ...this.#merge(one) })) })
    }
    if (kind === 'item' && id === 'known') return json(200, { known: this.knowsItems ? this.#knownItems(body) : [] })
    if (kind === 'payment' && method === 'POST') {
      return this.#pay(body.ids ?? [], Number(body.maxFromBalance ?? Number.POSITIVE_INFINITY))
    }
    if (kind === 'payment') return this.#payment(url.searchParams.get('address'))
    if (!item) return json(404, { code: 'not_found', message: 'You have no item with this id.' })
    if (kind === 'upload') return json(...this.#held(item))
    if (action === 'problems') return json(200, { problems: [], more: false })
    if (action === 'chunk' && bytes instanceof Uint8Array) {
      this.received += bytes.length
      item.chunks.set(Number(index), Buffer.from(bytes))
      return { status: 204, text: '' }
    }
    if (method === 'DELETE') {
      this.items.delete(id)
      return { status: 204, text: '' }
    }
    if (action === 'merge') {
      const missing = this.#missing(item)
      if (missing.length > 0) return json(409, { code: 'chunks_missing', message: 'Chunks are missing.', missing })
      if (item.status === '201 Created') item.status = '402 Payment Required'
    }
    return json(200, this.#itemJson(item))
  }

  #merge(id: string) {
    const item = this.items.get(id)
    if (!item) return { code: 'not_found', message: 'You have no item with this id.' }
    const missing = this.#missing(item)
    if (missing.length > 0) return { code: 'chunks_missing', message: 'Chunks are missing.', missing }
    if (item.status === '201 Created') item.status = '402 Payment Required'
    return { item: this.#itemJson(item) }
  }

  /** The newest merged item of the same bytes, type and target; of a manifest the folder whose files make it. */
  #knownItems({ blockchain, files = [], manifest }: Body) {
    const merged = [...this.items.values()].filter((item) => item.status !== '201 Created').reverse()
    const own = files.flatMap(({ size, sha256, mimetype }, index) => {
      const found = merged.find(
        (item) =>
          item.partOf === undefined &&
          item.blockchain === blockchain &&
          item.size === size &&
          item.mimetype === mimetype &&
          sha256Hex(this.contentOf(item.id)) === sha256,
      )
      return found ? [{ index, id: found.id, status: found.status }] : []
    })
    const directory = merged.find((one) => {
      return manifest !== undefined && one.blockchain === blockchain && this.#manifestOf(one.id) === manifest
    })
    return directory ? [...own, { id: directory.id, status: directory.status }] : own
  }

  #manifestOf(directory: string): string {
    const files = [...this.items.values()].filter(({ partOf }) => partOf === directory)
    const lines = files.map(({ id, name, size, folder }) => {
      const path = [...this.#namesAbove(folder), name].join('/')
      return Buffer.from(`${path}\0${size}\0${sha256Hex(this.contentOf(id))}\n`)
    })
    return sha256Hex(Buffer.concat(lines.sort(Buffer.compare)))
  }

  /** Names of the folders below the order's own. */
  #namesAbove(id: string | undefined): string[] {
    const folder = this.folders.get(id ?? '')
    return folder?.parent === undefined ? [] : [...this.#namesAbove(folder.parent), folder.name]
  }

  /** The hashes of the chunks from the beginning, while it is uploaded. */
  #held({ status, chunks, chunkCount }: StoredItem): [number, object] {
    if (status !== '201 Created') return [409, { code: 'already_merged', message: 'Its upload is closed.' }]
    const missing = Array.from({ length: chunkCount }, (_, index) => index).find((index) => !chunks.has(index))
    const first = missing ?? chunkCount
    const hashes = Array.from({ length: first }, (_, index) => sha256Hex(chunks.get(index) ?? Buffer.alloc(0)))
    return [200, { chunkSize: CHUNK, received: first * CHUNK, hashes }]
  }

  #missing({ chunks, chunkCount }: StoredItem): number[] {
    return Array.from({ length: chunkCount }, (_, index) => index).filter((index) => !chunks.has(index))
  }

  #folder({ name, blockchain, parent, order }: Body): string {
    for (const folder of this.folders.values()) if (folder.name === name && folder.parent === parent) return folder.id
    const id = this.#newId()
    const place = { blockchain: String(blockchain), parent: textOrNone(parent), order: textOrNone(order) }
    this.folders.set(id, { id, name: String(name), ...place })
    return id
  }

  #mergeFolder(id: string) {
    const folder = this.folders.get(id)
    const inside = [...this.items.values()].filter((item) => item.folder !== undefined && this.#isIn(item.folder, id))
    const missing = inside.map((item) => ({ id: item.id, path: item.name, chunks: this.#missing(item) }))
    const open = missing.filter(({ chunks }) => chunks.length > 0)
    if (open.length > 0) {
      return { status: 409, text: JSON.stringify({ code: 'chunks_missing', message: 'Missing.', missing: open }) }
    }
    if (!folder)
      return { status: 404, text: JSON.stringify({ code: 'not_found', message: 'You have no such folder.' }) }
    if (!folder.merged) {
      const size = inside.reduce((sum, item) => sum + item.size, 0)
      const { name, blockchain } = folder
      const { id: made } = this.#create({ name, mimetype: 'inode/directory', blockchain, size })
      folder.merged = made
      for (const item of inside) item.partOf = made
    }
    const item = this.items.get(folder.merged ?? '')
    if (item?.status === '201 Created') item.status = '402 Payment Required'
    return { status: 200, text: JSON.stringify(item && this.#itemJson(item)) }
  }

  #isIn(folder: string, root: string): boolean {
    for (let id: string | undefined = folder; id !== undefined; id = this.folders.get(id)?.parent) {
      if (id === root) return true
    }
    return false
  }

  /** Ids as the service makes them. */
  #newId(): string {
    return (++this.#ids).toString(16).padStart(24, '0')
  }

  #create({ name, mimetype, blockchain, size, folder, order }: Body) {
    const id = this.#newId()
    const chunkCount = Math.ceil(Number(size) / CHUNK)
    this.items.set(id, {
      id,
      name: String(name),
      mimetype: String(mimetype),
      blockchain: String(blockchain),
      size: Number(size),
      folder: textOrNone(folder),
      status: '201 Created',
      chunks: new Map(),
      chunkCount,
      partOf: undefined,
      order: textOrNone(order),
    })
    return { id, chunkSize: CHUNK, chunks: chunkCount }
  }

  #pay(ids: string[], most: number) {
    const items = ids.flatMap((id) => this.items.get(id) ?? [])
    if (items.length < ids.length) {
      return { status: 404, text: JSON.stringify({ code: 'not_found', message: 'You have no such item.' }) }
    }
    if (items.every(({ status }) => status !== '402 Payment Required')) {
      return { status: 200, text: JSON.stringify({ message: 'Nothing is left to pay for these items.' }) }
    }
    if (items.some(({ status }) => status !== '402 Payment Required')) {
      return { status: 409, text: JSON.stringify({ code: 'item_not_payable', message: 'Paid already.' }) }
    }
    const amount = this.price * ids.length
    if (this.balance >= amount && amount / 1e8 <= most) {
      this.balance -= amount
      this.charges++
      for (const item of items) item.status = '202 Accepted'
      return { status: 200, text: JSON.stringify({ message: 'Paid from your balance.' }) }
    }
    const open = this.payments.get(ids.join()) ?? { address: `address${this.payments.size}`, ids }
    this.payments.set(ids.join(), open)
    const { address } = open
    const request = { message: 'Pay.', amount: amount / 1e8, address, uri: `coin:${address}`, received: 0 }
    const parts = { networkFee: amount / 1e8, storageFee: 0 }
    return { status: 402, text: JSON.stringify({ ...request, ...parts, expiresAt: 2_000_000_000, confirmations: 1 }) }
  }

  #payment(asked: string | null) {
    const found = [...this.payments.values()].find(({ address }) => address === asked)
    if (!found)
      return { status: 404, text: JSON.stringify({ code: 'not_found', message: 'You have no such request.' }) }
    const { address, ids } = found
    const items = ids.flatMap((id) => this.items.get(id) ?? [])
    const isPaid = items.every(({ status }) => status !== '402 Payment Required')
    const amount = (this.price * ids.length) / 1e8
    const blockchain = items[0]?.blockchain ?? 'Bitcoin'
    const paidIn = blockchain === 'IPFS' ? 'Nativecoin' : blockchain
    const state = isPaid ? 'settled' : 'open'
    const given = { address, blockchain, paidIn, state, amount, received: isPaid ? amount : 0, ids, items: ids.length }
    return { status: 200, text: JSON.stringify(requestJson(given)) }
  }

  #itemJson(item: StoredItem) {
    return { ...itemJson(item), storedSize: this.storedSize }
  }

  /** The bytes of an item, as they arrived. */
  contentOf(id: string): Buffer {
    const chunks = this.items.get(id)?.chunks ?? new Map<number, Buffer>()
    return Buffer.concat([...chunks].sort(([a], [b]) => a - b).map(([, bytes]) => bytes))
  }
}

/** What `/v0/payment?address=` answers of a request, with `more` in it. */
export const requestJson = (more: { address: string }) => ({
  ...{ kind: 'request', blockchain: 'Nativecoin', paidIn: 'Nativecoin', state: 'open', expiresAt: 2_000_000_000 },
  ...{ received: 0, credited: 0, uri: `coin:${more.address}`, confirmations: 1, createdAt: 1, items: 0, ids: [] },
  ...{
    networkFee: 0,
    storageFee: 0,
    names: [],
    transactions: [],
    settledAt: null,
    transactionCount: null,
    storedSize: null,
    ...more,
  },
})

/** What `/v0/targets` answers, with `more` in each target. */
export const targetsJson = (more: object) => ({
  targets: ['Nativecoin', 'Dogecoin', 'Bitcoin', 'IPFS'].map((blockchain) => ({
    blockchain,
    available: true,
    reason: null,
    paidIn: blockchain === 'IPFS' ? 'Nativecoin' : blockchain,
    maxFileBytes: 100_000_000,
    maxIncompressibleBytes: 100_000_000,
    maxFiles: 10_000,
    maxDataBytes: blockchain === 'IPFS' ? null : 80,
    offersIndex: false,
    confirmations: 2,
    // A chain with a block every two seconds, as `npm start` has it.
    minutes: 0.06666666666666667,
    ...more,
  })),
})

export const sha256Hex = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

const QUOTAS = {
  unpaidItems: 20_000,
  unpaidBytes: 1e10,
  merges: 4,
  folders: 10_000,
  domains: 20,
  sites: 100,
  unusedAddresses: 100,
  keys: 20,
}
const none = { Nativecoin: 0, Dogecoin: 0, Bitcoin: 0 }
const profile = {
  id: 'user1',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  role: { name: 'user', permissions: [] },
  permissions: [{ name: 'store' }],
  status: 1,
  createdAt: 1,
  balances: none,
  pending: none,
  reserved: none,
  minDeposits: none,
  addresses: { Nativecoin: null, Dogecoin: null, Bitcoin: null },
  buyer: '',
  language: null,
  orderMails: false,
}

function itemJson({ id, name, mimetype, blockchain, status, size }: Omit<StoredItem, 'chunks'>) {
  return {
    id,
    name,
    mimetype,
    blockchain,
    folder: null,
    path: null,
    files: null,
    status,
    message: null,
    size,
    cid: null,
    transactions: 1,
    written: 0,
    confirmed: 0,
    createdAt: 1,
    links: { content: 'https://x/', web: null, site: 'https://x/' },
    embed: null,
  }
}

const textOrNone = (value: unknown) => (typeof value === 'string' ? value : undefined)
