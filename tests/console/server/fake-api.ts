import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { kindOf } from '../../../console/core/media-type-of.ts'
import { parseAmount } from '../../../protocol/amount.ts'
import { answerAccount } from './answer-account.ts'
import { addVersion, makeSite, mergeFolder, setAddress } from './answer-websites.ts'
import type { ConsoleServer } from './console-server.ts'
import { coins, itemJson, paymentJson, targetsJson } from './describe-fake.ts'
import { answerFixture } from './fake-fixtures.ts'
import { answerOrders } from './fake-orders.ts'
import { type FakeFolder, type FakeItem, type FakePayment, type FakeState, nowSeconds, objectId } from './fake-state.ts'
import { createItems, heldChunks, takeChunk } from './fake-uploads.ts'

const UPLOADS_OF_PAGE = 20
/** In the form of one: nobody verifies it. */
const SIGNATURE = 'x'.repeat(43)

const QUOTAS = ['unpaidItems', 'unpaidBytes', 'merges', 'folders', 'domains', 'sites', 'unusedAddresses', 'keys']
/** No site is shown on a host of its own. */
const HOOK = { url: '', path: '', integrity: '', size: 0, parts: [], checkpoints: {}, frames: 'none' }
const ME = { id: 'u1', email: 'ann@example.com', firstName: 'Ann', lastName: 'Lindqvist' }

/** The API as it is described, for one account and from memory. */
export async function answerApi(
  server: ConsoleServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { state } = server
  const url = new URL(request.url ?? '/', server.origin)
  const path = url.pathname
  const route = `${request.method} ${path}`
  const send = (status: number, body?: unknown) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }
  const problem = (status: number, code: string, message: string) => send(status, { message, code })
  if (path === '/console/settings') {
    return send(200, {
      storageOrigin: server.origin,
      letter: state.letter ? { blockchain: 'Bitcoin', txids: state.letter.txids } : null,
      passkeys: state.passkeys,
      outbox: null,
      domains: state.takesDomains,
      faucet: state.faucet,
      ...state.links,
    })
  }
  if (path === '/console/session') return session(server, request, response, send, problem)
  if (path.startsWith('/v0/tx/')) {
    const parts = (path.split('/')[4] ?? '').split(',').map((txid) => state.chain.get(txid))
    if (parts.some((part) => part === undefined)) return send(404)
    response.writeHead(200, {
      'Content-Type': 'application/octet-stream',
      'Cache-Control': 'public, max-age=31536000, immutable',
    })
    response.end(Buffer.concat(parts.flatMap((part) => part ?? [])))
    return
  }
  const [, decoded] = /^\/v0\/decode\/\w+\/([0-9a-f]{64})$/.exec(path) ?? []
  if (decoded !== undefined) {
    const items = state.decoded.get(decoded)
    return items
      ? send(200, { txid: decoded, items })
      : problem(404, 'transaction_not_found', 'There is no such transaction.')
  }
  if (route === 'GET /v0/targets') return send(200, { targets: targetsJson(state) })
  if (route === 'GET /hook.json') return send(200, HOOK)
  if (route === 'GET /v0/prices') return send(200, state.prices)
  if (route === 'POST /v0/estimate') return send(200, estimate(await readJson(request)))
  if (route === 'POST /v0/token/passkey') return send(200, { challenge: 'AAAA' })
  if (route === 'POST /v0/user') return send(201, { message: 'Look at your mail.', wait: 'w1' })
  if (path.startsWith('/v0/user/wait/')) return send(200, { verified: state.verified })
  if (route === 'POST /v0/user/verify/send' || route === 'POST /v0/user/password/send')
    return send(202, { message: 'Sent.' })
  if (!authorized(request)) return problem(401, 'invalid_token', 'The access token is no longer valid.')
  if (path === '/v0/upload' && request.method === 'GET') {
    const open = [...state.items.values()].filter(({ status }) => status === '201 Created')
    const start = Number(url.searchParams.get('cursor') ?? 0)
    const end = start + UPLOADS_OF_PAGE
    const uploads = open.slice(start, end).map((item) => uploadJson(item, state.folders.get(item.folder ?? '')?.name))
    return send(200, { uploads, ...(end < open.length ? { cursor: String(end) } : {}) })
  }
  if (route === 'POST /v0/item') return send(201, createItems(state, await readJson(request)))
  const [, uploadId = ''] = /^\/v0\/upload\/([0-9a-f]{24})$/.exec(path) ?? []
  const [, chunkId = '', chunk = ''] = /^\/v0\/item\/([0-9a-f]{24})\/chunk\/(\d+)$/.exec(path) ?? []
  if (uploadId || chunkId) {
    const upload = state.items.get(uploadId || chunkId)
    if (!upload) return problem(404, 'not_found', 'There is no such upload.')
    if (uploadId) return send(200, heldChunks(upload))
    return takeChunk(upload, Number(chunk), server.weather, request, response)
  }
  if (route === 'GET /v0/user') return send(200, profile(server))
  if (route === 'POST /v0/user/email/send') {
    const { password } = await readJson(request)
    return password === 'Correct1'
      ? send(202, { message: 'A mail is on its way.' })
      : problem(403, 'wrong_password', 'This is not the current password.')
  }
  if (route === 'POST /v0/folder') {
    const body = await readJson(request)
    const same = [...state.folders.values()].find(
      (folder) =>
        folder.name === body.name && folder.parent === (body.parent ?? null) && folder.blockchain === body.blockchain,
    )
    const id = same?.id ?? objectId()
    const parent = typeof body.parent === 'string' ? body.parent : null
    if (!same)
      state.folders.set(id, {
        id,
        name: String(body.name),
        blockchain: targetOf(body.blockchain),
        parent,
        createdAt: nowSeconds(),
      })
    return send(201, { id })
  }
  if (route === 'GET /v0/folder') {
    const name = url.searchParams.get('name')?.toLowerCase()
    const parent = url.searchParams.get('parent')
    const folders = [...state.folders.values()].filter((folder) =>
      name !== undefined
        ? folder.name.toLowerCase().includes(name)
        : folder.parent === (parent === 'none' ? null : parent),
    )
    return send(200, { folders: folders.map((folder) => folderJson(state, folder)) })
  }
  const mergePath = /^\/v0\/folder\/([0-9a-f]{24})\/merge$/.exec(path)
  const merged = state.folders.get(mergePath?.[1] ?? '')
  if (merged) return send(200, itemJson(state, mergeFolder(state, merged), server.origin))
  if (request.method === 'POST' && /^\/v0\/site\/[0-9a-f]{24}\/versions$/.test(path)) {
    return send(201, addVersion(state, await readJson(request)))
  }
  const sitePath = /^\/v0\/site\/([0-9a-f]{24})\/address$/.exec(path)
  const named = state.sites.find(({ id }) => id === sitePath?.[1])
  if (named) {
    const body = request.method === 'PUT' ? await readJson(request) : {}
    return send(...setAddress(named, request.method, body))
  }
  const withdrawn = /^\/v0\/address\/([^/]+)\/withdraw$/.exec(path)
  if (withdrawn) {
    state.withdrawn.push(`${withdrawn[1]}: ${(await readJson(request)).reason}`)
    return send(204)
  }
  if (route === 'POST /v0/site') return send(201, makeSite(state, await readJson(request)))
  const folderPath = /^\/v0\/folder\/([0-9a-f]{24})$/.exec(path)
  if (folderPath) return answerFolder(state, request, folderPath[1] ?? '', send, problem)
  if (path.startsWith('/v0/order')) return answerOrders(server, request, path, send, problem)
  if (route === 'GET /v0/item/counts') {
    const items = [...state.items.values()]
    const all = items.filter(({ hidden }) => !hidden)
    const count = (status: string) => all.filter((item) => item.status.startsWith(status)).length
    const counts = Object.fromEntries(['200', '201', '202', '402', '409'].map((status) => [status, count(status)]))
    return send(200, {
      counts,
      total: all.length,
      hidden: items.length - all.length,
      bytes: all.reduce((sum, item) => sum + item.size, 0),
    })
  }
  if (route === 'GET /v0/item') return send(200, listItems(server, url.searchParams))
  if (route === 'POST /v0/item/known') {
    const body = await readJson(request)
    const wanted: unknown[] = Array.isArray(body.files) ? body.files : []
    const hash = (item: FakeItem) => createHash('sha256').update(item.bytes).digest('hex')
    const known = wanted.flatMap((file, index) => {
      const same = [...state.items.values()].find(
        (item) =>
          item.blockchain === body.blockchain &&
          item.status !== '201 Created' &&
          typeof file === 'object' &&
          file !== null &&
          'sha256' in file &&
          file.sha256 === hash(item),
      )
      return same ? [{ index, id: same.id, status: same.status }] : []
    })
    return send(200, { known })
  }
  if (route === 'POST /v0/item/merge') {
    const body = await readJson(request)
    const ids = Array.isArray(body.items) ? body.items.map(String) : []
    const { refusedMerges: no } = state
    const refused = (id: string) => no !== undefined && state.items.get(id)?.blockchain === no.blockchain
    const answer = (id: string) =>
      refused(id) ? { id, message: no?.message, code: 'too_many_transactions' } : { id, item: merge(server, id) }
    return send(200, { items: ids.map(answer) })
  }
  const itemPath = /^\/v0\/item\/([0-9a-f]{24})(\/[\w-]+)?$/.exec(path)
  if (itemPath) return answerItem(server, request, itemPath[1] ?? '', itemPath[2] ?? '', send, problem)
  if (route === 'POST /v0/payment') return pay(server, await readJson(request), send)
  if (route === 'DELETE /v0/payment') {
    const payment = state.payments.get(String((await readJson(request)).address))
    if (payment) payment.state = 'cancelled'
    for (const id of payment?.ids ?? []) state.items.delete(id)
    return send(200, { message: 'Cancelled.' })
  }
  if (route === 'GET /v0/payment') {
    const address = url.searchParams.get('address')
    const found = address === null ? undefined : state.payments.get(address)
    if (address !== null)
      return found ? send(200, paymentJson(state, found)) : problem(404, 'not_found', 'There is no such request.')
    return send(200, { payments: [...state.payments.values()].map((payment) => paymentJson(state, payment)) })
  }
  if (path.startsWith('/v0/payment/')) return send(200, { address: `ncrt1q${randomBytes(16).toString('hex')}` })
  if (route === 'PUT /v0/report') {
    const { ids } = await readJson(request)
    for (const id of Array.isArray(ids) ? ids : []) state.dismissed.add(String(id))
    return send(200, { dismissed: state.dismissed.size })
  }
  if (path.startsWith('/v0/webhook') || path.startsWith('/v0/user/sessions/')) {
    const body = request.method === 'POST' ? await readJson(request) : {}
    const answer = answerAccount(state, request.method ?? '', path, body)
    if (answer) return send(...answer)
  }
  answerFixture(server, request, response, url, send)
}

type Send = (status: number, body?: unknown) => void
type Problem = (status: number, code: string, message: string) => void

async function session(
  { state }: ConsoleServer,
  request: IncomingMessage,
  response: ServerResponse,
  send: Send,
  problem: Problem,
): Promise<void> {
  if (request.method === 'DELETE') {
    state.signedIn = false
    response.writeHead(204).end()
    return
  }
  if (request.method === 'PUT') {
    if (!state.signedIn) return problem(401, 'token_invalid', 'The session has ended.')
    return send(200, { accessToken: accessToken(state) })
  }
  const { password } = await readJson(request)
  if (password !== 'Correct1') return problem(401, 'wrong_credentials', 'Wrong email or password.')
  state.signedIn = true
  return send(200, { accessToken: accessToken(state) })
}

function accessToken({ permissions, tokenSeconds, loggedInAgo }: FakeState): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Date.now() / 1000 + tokenSeconds
  const auth_time = nowSeconds() - loggedInAgo
  return `${part({ alg: 'HS256' })}.${part({ sub: ME.id, email: ME.email, permissions: permissions.map((name) => ({ name })), exp, auth_time })}.${SIGNATURE}`
}

function authorized(request: IncomingMessage): boolean {
  const part = /^Bearer [^.]+\.([^.]+)\./.exec(request.headers.authorization ?? '')?.[1]
  if (part === undefined) return false
  const { exp }: { exp: number } = JSON.parse(Buffer.from(part, 'base64url').toString())
  return exp > Date.now() / 1000
}

function profile({ state }: ConsoleServer) {
  const { balances } = state
  const each = (value: (chain: keyof typeof balances) => unknown) => ({
    Nativecoin: value('Nativecoin'),
    Dogecoin: value('Dogecoin'),
    Bitcoin: value('Bitcoin'),
  })
  return {
    ...ME,
    role: { name: 'user', permissions: [] },
    permissions: state.permissions.map((name) => ({ name })),
    status: 1,
    createdAt: nowSeconds() - 86_400,
    addresses: { ...each(() => null), Bitcoin: 'bcrt1q0f7zk3u9w2xh5ds8ler6mvc4tynj70pa3g6q2e' },
    quotas: Object.fromEntries(QUOTAS.map((name) => [name, { limit: 1_000_000, used: 0 }])),
    balances: each((chain) => coins(balances[chain])),
    pending: { ...each(() => 0), Bitcoin: 0.0002 },
    minDeposits: { Nativecoin: 0.0000546, Dogecoin: 0.1, Bitcoin: 0.0000546 },
    reserved: { ...each(() => 0), Dogecoin: 5 },
    buyer: state.buyer,
    language: state.language,
    orderMails: false,
  }
}

function estimate(body: Record<string, unknown>) {
  const files: unknown[] = Array.isArray(body.files) ? body.files : []
  const size = files.reduce<number>((sum, file) => sum + sizeOf(file), 0)
  const blockchain = targetOf(body.blockchain)
  const transactions = blockchain === 'IPFS' ? 0 : Math.ceil(size / (blockchain === 'Nativecoin' ? 102_480 : 80))
  const units = BigInt(Math.ceil(size * 1.8) + 1000 * transactions)
  const paidIn = blockchain === 'IPFS' ? 'Nativecoin' : blockchain
  const networkFee = (units * 9n) / 10n
  return {
    blockchain,
    paidIn,
    amount: coins(units),
    networkFee: coins(networkFee),
    storageFee: coins(units - networkFee),
    transactions,
    readAt: nowSeconds() - 4,
  }
}

function sizeOf(file: unknown): number {
  return typeof file === 'object' && file !== null && 'size' in file ? Number(file.size) : 0
}

function listItems({ state, origin }: ConsoleServer, query: URLSearchParams) {
  const page = Number(query.get('page') ?? 1)
  const name = (query.get('name') ?? '').toLowerCase()
  const folder = query.get('folder')
  const sort = query.get('sort') ?? '-created'
  const all = [...state.items.values()]
    .filter((item) => item.status.startsWith(query.get('status') ?? ''))
    .filter((item) => !query.has('order') || item.order === query.get('order'))
    .filter((item) => !query.has('blockchain') || item.blockchain === query.get('blockchain'))
    .filter(({ mimetype }) => !query.has('kind') || kindOf(mimetype) === query.get('kind'))
    .filter(
      (item) =>
        name === '' ||
        item.name
          .toLowerCase()
          .split(/\W+/)
          .some((word) => word.startsWith(name)),
    )
    .filter((item) => folder === null || item.folder === (folder === 'none' ? null : folder))
    .filter((item) => !query.has('directory') && (item.hidden ?? false) === query.has('hidden'))
  const key = (item: FakeItem) =>
    sort.endsWith('name') ? item.name : sort.endsWith('size') ? item.size : item.createdAt
  all.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (sort.startsWith('-') ? -1 : 1))
  const items = all.slice((page - 1) * 50, page * 50).map((item) => itemJson(state, item, origin))
  return { items, page, pages: Math.max(1, Math.ceil(all.length / 50)), total: all.length }
}

function merge(server: ConsoleServer, id: string) {
  const item = server.state.items.get(id)
  if (!item) return undefined
  if (item.status === '201 Created' && item.bytes.length === item.size) item.status = '402 Payment Required'
  return itemJson(server.state, item, server.origin)
}

/** A folder, with the files in it and below. */
function folderJson(state: FakeState, folder: FakeFolder) {
  const isBelow = (id: string | null): boolean =>
    id !== null && (id === folder.id || isBelow(state.folders.get(id)?.parent ?? null))
  return { item: null, ...folder, items: [...state.items.values()].filter((item) => isBelow(item.folder)).length }
}

async function answerFolder(state: FakeState, request: IncomingMessage, id: string, send: Send, problem: Problem) {
  const folder = state.folders.get(id)
  if (!folder) return problem(404, 'not_found', 'You have no folder with this id.')
  if (request.method === 'DELETE') {
    const full = folderJson(state, folder).items > 0 || [...state.folders.values()].some(({ parent }) => parent === id)
    if (full)
      return problem(409, 'folder_not_empty', 'This folder has files or folders in it, or is merged. Empty it first.')
    state.folders.delete(id)
    return send(204)
  }
  if (request.method === 'PATCH') {
    const { name, parent } = await readJson(request)
    const taken = [...state.folders.values()].some((each) => each !== folder && each.name === name)
    if (taken) return problem(409, 'name_taken', 'A folder of that name lies there already.')
    if (typeof name === 'string') folder.name = name
    if (parent !== undefined) folder.parent = typeof parent === 'string' ? parent : null
  }
  return send(200, folderJson(state, folder))
}

async function answerItem(
  server: ConsoleServer,
  request: IncomingMessage,
  id: string,
  part: string,
  send: Send,
  problem: Problem,
) {
  const { state, origin } = server
  const item = state.items.get(id)
  if (!item) return problem(404, 'not_found', 'There is no such item.')
  if (request.method === 'DELETE') {
    state.items.delete(id)
    return send(204)
  }
  if (request.method === 'PATCH') {
    const { name, folder, mimetype, hidden } = await readJson(request)
    const taken = [...state.items.values()].some(
      (each) => each !== item && each.name === name && each.folder === item.folder,
    )
    if (taken && item.folder !== null) return problem(409, 'name_taken', 'An item of that name lies there already.')
    if (typeof name === 'string') item.name = name
    if (typeof mimetype === 'string') item.mimetype = mimetype
    if (hidden === true) item.hidden = true
    else if (hidden === false) delete item.hidden
    if (folder !== undefined) item.folder = typeof folder === 'string' ? folder : null
    return send(200, itemJson(state, item, origin))
  }
  if (part === '/take-down') {
    state.items.delete(id)
    return send(204)
  }
  if (part === '/merge') return send(200, merge(server, id))
  if (part === '/retry') {
    item.status = '202 Accepted'
    return send(202, itemJson(state, item, origin))
  }
  if (part === '/transactions') {
    const transactions = (item.content?.txids ?? []).map((txid, index) => ({
      index,
      txid,
      bytes: item.content?.transactions[index]?.length ?? 0,
      state: 'stored',
      depth: 41,
      lastSeen: nowSeconds() - 60,
    }))
    return send(200, { transactions, confirmations: 3 })
  }
  if (part === '/problems') return send(200, { problems: state.problems, more: false })
  if (part === '/receipt') {
    return send(200, {
      number: '20261128-1A2B3C4D',
      seller: ['Example Ltd', '1 High Street'],
      buyer: 'Ann Lindqvist\nPier 4',
      lines: [{ item: id, name: item.name, size: item.size }],
      rates: state.prices.rates[item.blockchain] ?? {},
      item: id,
      name: item.name,
      blockchain: item.blockchain,
      paidIn: item.blockchain === 'IPFS' ? 'Nativecoin' : item.blockchain,
      amount: 0.007891,
      networkFee: 0.0071019,
      storageFee: 0.0007891,
      paidAt: item.createdAt + 300,
      fromBalance: 0,
      payments: [{ txid: randomBytes(32).toString('hex'), amount: item.name === 'overpaid.txt' ? 0.01 : 0.007891 }],
      items: 1,
    })
  }
  return send(200, itemJson(state, item, origin))
}

function pay({ state }: ConsoleServer, body: Record<string, unknown>, send: Send): void {
  const ids = Array.isArray(body.ids) ? body.ids.map(String) : []
  const known = [...state.payments.values()].find(
    (payment) => payment.state === 'open' && payment.ids.join() === ids.join(),
  )
  const payment: FakePayment = known ?? {
    address: `ncrt1q${randomBytes(16).toString('hex')}`,
    blockchain: targetOf(body.blockchain),
    ids,
    state: 'open',
    amount: parseAmount('0.3628411'),
    received: 0n,
    transactions: [],
    createdAt: nowSeconds(),
    expiresAt: nowSeconds() + 3600,
  }
  const { balances } = state
  const paidIn = payment.blockchain === 'IPFS' ? 'Nativecoin' : payment.blockchain
  // Without a limit the service pays any price from the balance.
  const most = typeof body.maxFromBalance === 'string' ? parseAmount(body.maxFromBalance) : payment.amount
  if (payment.amount <= most && payment.amount <= balances[paidIn]) {
    balances[paidIn] -= payment.amount
    payment.state = 'settled'
    for (const id of ids) {
      const item = state.items.get(id)
      if (item) item.status = '202 Accepted'
    }
    send(200, { message: 'Paid from the balance.' })
    return
  }
  state.payments.set(payment.address, payment)
  const { address, amount, networkFee, storageFee, received, expiresAt, confirmations } = paymentJson(state, payment)
  send(402, {
    message: `Send to ${address}.`,
    address,
    amount,
    networkFee,
    storageFee,
    received,
    expiresAt,
    confirmations,
    uri: `nativecoin:${address}`,
  })
}

function uploadJson(item: FakeItem, path: string | undefined) {
  const { id, name, mimetype, blockchain, folder, size, createdAt } = item
  return {
    id,
    name,
    mimetype,
    blockchain,
    folder,
    size,
    createdAt,
    path: path ?? null,
    received: item.bytes.length,
    expiresAt: createdAt + 604_800,
  }
}

function targetOf(name: unknown): FakeItem['blockchain'] {
  return name === 'Dogecoin' || name === 'Bitcoin' || name === 'IPFS' ? name : 'Nativecoin'
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = ''
  for await (const part of request) text += String(part)
  const parsed: unknown = JSON.parse(text || '{}')
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
}
