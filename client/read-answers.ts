import { isBlockchain, isStorageTarget } from '../protocol/chains.ts'
import { HooklineError } from './http/api-error.ts'
import { Fields, readString } from './http/parse-json.ts'
import type * as t from './types.ts'

/** Answers of the service as typed values: each field is checked once, here. */

const STATUSES: readonly t.ItemStatus[] = [
  '201 Created',
  '402 Payment Required',
  '202 Accepted',
  '200 OK',
  '409 Conflict',
]

function storageTarget(value: unknown): t.StorageTarget {
  if (isStorageTarget(value)) return value
  throw new HooklineError('unexpected_answer', `The service names an unknown storage target: ${String(value)}.`)
}

function blockchain(value: unknown): t.Blockchain {
  if (isBlockchain(value)) return value
  throw new HooklineError('unexpected_answer', `The service names an unknown blockchain: ${String(value)}.`)
}

export function readItem(value: unknown): t.Item {
  const item = new Fields(value, 'The item')
  const links = item.object('links')
  const status = STATUSES.find((one) => one === item.get('status'))
  if (!status) throw new HooklineError('unexpected_answer', `The item has an unknown status: ${item.get('status')}.`)
  return {
    id: item.string('id'),
    name: item.string('name'),
    mimetype: item.string('mimetype'),
    blockchain: storageTarget(item.get('blockchain')),
    status,
    message: item.optionalString('message'),
    size: item.number('size'),
    storedSize: item.optionalNumber('storedSize'),
    txids: item.optionalList('txids', readString),
    cid: item.optionalString('cid'),
    transactions: item.optionalNumber('transactions'),
    written: item.optionalNumber('written') ?? 0,
    confirmed: item.optionalNumber('confirmed') ?? 0,
    createdAt: item.number('createdAt'),
    folder: item.optionalString('folder'),
    received: item.optionalAmount('received'),
    links: { content: links.string('content'), web: links.optionalString('web'), site: links.string('site') },
    embed: item.optionalString('embed'),
  }
}

export function readSource(value: unknown): t.ContentSource {
  const source = new Fields(value, 'The source')
  const target = storageTarget(source.get('blockchain'))
  if (target === 'IPFS') return { blockchain: target, cid: source.string('cid') }
  return { blockchain: target, txids: source.list('txids', readString) }
}

export function readPaymentRequest(value: unknown): t.PaymentRequest {
  const request = new Fields(value, 'The payment request')
  return {
    address: request.string('address'),
    amount: request.amount('amount'),
    received: request.optionalAmount('received') ?? '0',
    uri: request.string('uri'),
    expiresAt: request.number('expiresAt'),
    confirmations: request.number('confirmations'),
    message: request.optionalString('message') ?? '',
    state: request.optionalString('state'),
    networkFee: request.optionalAmount('networkFee'),
    storageFee: request.optionalAmount('storageFee'),
    blockchain: request.has('blockchain') ? storageTarget(request.get('blockchain')) : undefined,
    ids: request.optionalList('ids', readString),
  }
}

export function readPaymentRecord(value: unknown): t.PaymentRecord {
  const payment = new Fields(value, 'The payment')
  return {
    kind: payment.string('kind'),
    address: payment.string('address'),
    blockchain: storageTarget(payment.get('blockchain')),
    state: payment.string('state'),
    amount: payment.optionalAmount('amount'),
    received: payment.optionalAmount('received') ?? '0',
    uri: payment.optionalString('uri'),
    expiresAt: payment.optionalNumber('expiresAt'),
    confirmations: payment.optionalNumber('confirmations'),
    ids: payment.optionalList('ids', readString) ?? [],
  }
}

export function readEstimate(value: unknown): t.Estimate {
  const estimate = new Fields(value, 'The estimate')
  return {
    amount: estimate.amount('amount'),
    networkFee: estimate.amount('networkFee'),
    storageFee: estimate.amount('storageFee'),
    dustFee: estimate.optionalAmount('dustFee'),
    paidIn: estimate.has('paidIn') ? storageTarget(estimate.get('paidIn')) : undefined,
    transactions: estimate.number('transactions'),
    readAt: estimate.number('readAt'),
  }
}

export function readTarget(value: unknown): t.Target {
  const target = new Fields(value, 'The storage target')
  return {
    blockchain: storageTarget(target.get('blockchain')),
    available: target.flag('available'),
    reason: target.optionalString('reason'),
    paidIn: target.has('paidIn') ? storageTarget(target.get('paidIn')) : undefined,
    maxFileBytes: target.optionalNumber('maxFileBytes'),
    confirmations: target.optionalNumber('confirmations'),
    minutes: target.optionalNumber('minutes'),
  }
}

export function readProfile(value: unknown): t.Profile {
  const user = new Fields(value, 'The profile')
  const balances = user.object('balances')
  const addresses = user.object('addresses')
  return {
    id: user.string('id'),
    email: user.string('email'),
    firstName: user.string('firstName'),
    lastName: user.string('lastName'),
    role: user.object('role').string('name'),
    permissions: user.list('permissions', (entry) => new Fields(entry, 'The permission').string('name')),
    status: user.number('status'),
    createdAt: user.number('createdAt'),
    balances: Object.fromEntries(balances.names().map((name) => [name, balances.amount(name)])),
    addresses: Object.fromEntries(addresses.names().map((name) => [name, addresses.optionalString(name)])),
  }
}

export function readFolder(value: unknown): t.Folder {
  const folder = new Fields(value, 'The folder')
  return {
    id: folder.string('id'),
    name: folder.optionalString('name') ?? '',
    blockchain: folder.has('blockchain') ? storageTarget(folder.get('blockchain')) : undefined,
    parent: folder.optionalString('parent'),
  }
}

export function readItemTransaction(value: unknown): t.ItemTransaction {
  const transaction = new Fields(value, 'The transaction')
  return {
    index: transaction.number('index'),
    bytes: transaction.number('bytes'),
    state: transaction.string('state'),
    depth: transaction.optionalNumber('depth'),
    txid: transaction.optionalString('txid'),
    lastSeen: transaction.optionalNumber('lastSeen'),
  }
}

export function readWithdrawal(value: unknown): t.Withdrawal {
  const withdrawal = new Fields(value, 'The withdrawal')
  return {
    id: withdrawal.string('id'),
    blockchain: blockchain(withdrawal.get('blockchain')),
    address: withdrawal.string('address'),
    amount: withdrawal.amount('amount'),
    fee: withdrawal.optionalAmount('fee'),
    state: withdrawal.string('state'),
    txid: withdrawal.optionalString('txid'),
    createdAt: withdrawal.optionalNumber('createdAt'),
  }
}

export function readApiKey(value: unknown): t.ApiKey {
  const key = new Fields(value, 'The API key')
  return {
    id: key.string('id'),
    name: key.string('name'),
    scopes: key.list('scopes', readString),
    expiresAt: key.optionalNumber('expiresAt'),
    createdAt: key.optionalNumber('createdAt'),
    lastUsedAt: key.optionalNumber('lastUsedAt'),
  }
}

export function readDomain(value: unknown): t.Domain {
  const domain = new Fields(value, 'The domain')
  return {
    host: domain.string('host'),
    item: domain.optionalString('item'),
    site: domain.optionalString('site'),
    status: domain.string('status'),
    record: domain.optionalString('record'),
    steps: domain.optionalList('steps', readDomainStep) ?? [],
  }
}

function readDomainStep(value: unknown): t.DomainStep {
  const step = new Fields(value, 'The step')
  return {
    step: step.string('step'),
    state: step.string('state'),
    found: step.optionalString('found'),
    wanted: step.optionalString('wanted'),
    checkedAt: step.optionalNumber('checkedAt'),
  }
}

export function readSite(value: unknown): t.Site {
  const site = new Fields(value, 'The site')
  return {
    id: site.string('id'),
    name: site.string('name'),
    host: site.optionalString('host'),
    url: site.optionalString('url'),
    version: site.optionalNumber('version'),
    item: site.optionalString('item'),
    createdAt: site.optionalNumber('createdAt'),
  }
}

export function readSiteVersion(value: unknown): t.SiteVersion {
  const version = new Fields(value, 'The version')
  return {
    number: version.number('number'),
    item: version.string('item'),
    name: version.optionalString('name'),
    note: version.optionalString('note'),
    url: version.optionalString('url'),
    createdAt: version.optionalNumber('createdAt'),
  }
}

export function readLedgerEntry(value: unknown): t.LedgerEntry {
  const entry = new Fields(value, 'The ledger entry')
  return {
    id: String(entry.get('id')),
    blockchain: blockchain(entry.get('blockchain')),
    kind: entry.string('kind'),
    change: entry.amount('change'),
    balance: entry.optionalAmount('balance'),
    subject: entry.optionalString('subject'),
    at: entry.number('at'),
  }
}
