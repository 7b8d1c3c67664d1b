import { formatAmount } from '../../../protocol/amount.ts'
import type { FakeItem, FakePayment, FakeState } from './fake-state.ts'
import { storeOnChain } from './stored-content.ts'

const CONFIRMATIONS = { Nativecoin: 3, Dogecoin: 6, Bitcoin: 2, IPFS: 3 }

const TARGETS = [
  { blockchain: 'Nativecoin', maxFileBytes: 16 * 2 ** 20, maxFiles: 10_000, maxDataBytes: 102_480, minutes: 4 },
  { blockchain: 'Bitcoin', maxFileBytes: 1_200_000, maxFiles: 10_000, maxDataBytes: 80, minutes: 60 },
  { blockchain: 'Dogecoin', maxFileBytes: 1_200_000, maxFiles: 10_000, maxDataBytes: 80, minutes: 12 },
  { blockchain: 'IPFS', maxFileBytes: 2 ** 30, maxFiles: 2_000, maxDataBytes: null, minutes: 3 },
] as const

export function targetsJson(state: FakeState) {
  return TARGETS.map((target) => ({
    ...target,
    maxIncompressibleBytes: state.maxIncompressibleBytes[target.blockchain] ?? target.maxFileBytes,
    offersIndex: (target.maxDataBytes ?? 0) >= 8_192,
    available: true,
    reason: null,
    paidIn: target.blockchain === 'IPFS' ? 'Nativecoin' : target.blockchain,
    confirmations: CONFIRMATIONS[target.blockchain],
  }))
}

export function itemJson(state: FakeState, item: FakeItem, origin: string) {
  const { bytes: _, content, folder, files = null, ...fields } = item
  const merged = item.status !== '201 Created'
  const stored = item.status === '200 OK'
  const transactions = merged
    ? storeOnChain(item.bytes, item.blockchain === 'Nativecoin' ? 102_480 : 80).txids.length
    : null
  const storedSize = merged ? Math.ceil(item.size * 0.9) : null
  const names: string[] = []
  for (let id = folder; id !== null; ) {
    const known = state.folders.get(id)
    if (!known) break
    names.unshift(known.name)
    id = known.parent
  }
  return {
    ...fields,
    folder,
    path: names.length > 0 ? names.join('/') : null,
    received: item.bytes.length,
    files,
    storedSize,
    transactions,
    ...(stored && content && { txids: content.txids }),
    cid: null,
    links: {
      content: `${origin}/v0/content/${item.id}`,
      web: stored && content ? `${origin}/v0/web/${item.blockchain}/${content.txids.join(',')}` : null,
      site: `http://${item.id}.storage.localhost/`,
    },
    embed: stored ? `<img class="${item.blockchain}" data-src="${content?.txids.join(',')}" alt="${item.name}">` : null,
  }
}

export function paymentJson(state: FakeState, payment: FakePayment) {
  const { ids, transactions, amount, received } = payment
  const names = ids.flatMap((id) => state.items.get(id)?.name ?? [])
  return {
    kind: 'request',
    address: payment.address,
    blockchain: payment.blockchain,
    paidIn: payment.blockchain === 'IPFS' ? 'Nativecoin' : payment.blockchain,
    state: payment.state,
    amount: coins(amount),
    networkFee: coins((amount * 9n) / 10n),
    storageFee: coins(amount - (amount * 9n) / 10n),
    received: coins(received),
    credited: coins(payment.credited ?? 0n),
    uri: `nativecoin:${payment.address}?amount=${formatAmount(amount - received)}`,
    confirmations: CONFIRMATIONS[payment.blockchain],
    items: ids.length,
    ids,
    names: names.slice(0, 3),
    transactions: transactions.map((each) => ({ ...each, amount: coins(each.amount) })),
    createdAt: payment.createdAt,
    expiresAt: payment.expiresAt,
    settledAt: payment.state === 'settled' ? payment.createdAt + 300 : null,
    transactionCount: 4,
    storedSize: 368_817,
  }
}

export function coins(units: bigint): number {
  return Number(formatAmount(units))
}
