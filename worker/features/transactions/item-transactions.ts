import { PAGE_ROWS } from '../../../contract/limits.ts'
import { isBlockchain } from '../../../protocol/chains.ts'
import { selectTip } from '../../chain/follower/blocks.ts'
import { selectChainState } from '../../chain/follower/chain-states.ts'
import { unixSecondsOrNull } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { invalidCursor } from '../../platform/http/errors.ts'
import { requireItem } from '../items/require-item.ts'
import { selectFolded } from '../items/sql/folded.ts'
import type { PublishedItem } from '../items/sql/items.ts'
import { selectDataBytes } from '../items/sql/writes.ts'
import { type ItemTransaction, selectItemTransactions } from './sql/item-transactions.ts'

/** The state of the chain when it was last read; times in milliseconds. */
export interface ChainView {
  tipHeight: number
  /** When that block was met, and when a step last ended well. */
  tipAt: number | undefined
  steppedAt: number | undefined
  confirmations: number
}

/**
 * A page of the transactions of the caller's item, as the API answers it: none before its merge, and none on IPFS.
 * @throws {AppError} 404, 400 for a cursor that no page gave.
 */
export async function itemTransactions(
  db: D1Database,
  config: Config,
  userId: string,
  id: string,
  cursor: string | undefined,
) {
  const item = await requireItem(db, userId, id)
  const { blockchain } = item
  const count = item.transactions ?? 0
  const from = cursor === undefined ? 0 : readCursor(cursor, count)
  if (!isBlockchain(blockchain)) return { transactions: [], confirmations: 0 }
  const { confirmations } = config.chains[blockchain]
  const end = Math.min(count, from + PAGE_ROWS)
  const [live, folded, tip, chain, planned] = await Promise.all([
    selectItemTransactions(db, id, from, end),
    selectFolded(db, id, from, end),
    selectTip(db, blockchain),
    selectChainState(db, blockchain),
    selectDataBytes(db, id),
  ])
  const view = { tipHeight: tip?.height ?? 0, tipAt: chain.tipAt, steppedAt: chain.steppedAt, confirmations }
  const dataBytes = planned ?? item.maxDataBytes ?? 0
  const mined = folded?.map((row): ItemTransaction => ({ ...row, state: 'mined', checkedHeight: null }))
  const byIndex = new Map((mined ?? live).map((row) => [row.index, row]))
  const transactions = Array.from({ length: end - from }, (_, step) => {
    const index = from + step
    return describeTransaction(index, partBytes(item, dataBytes, index), byIndex.get(index), view)
  })
  return { transactions, confirmations, ...(end < count ? { cursor: String(end) } : {}) }
}

function readCursor(text: string, count: number): number {
  const index = /^\d{1,9}$/.test(text) ? Number(text) : -1
  if (index < 0 || index > count) throw invalidCursor()
  return index
}

function partBytes({ storedSize }: Pick<PublishedItem, 'storedSize'>, dataBytes: number, index: number): number {
  return Math.max(0, Math.min(dataBytes, (storedSize ?? 0) - index * dataBytes))
}

/**
 * A transaction as its payer may see it. Its txid is withheld until it has enough confirmations: before, another
 * transaction may still replace it. `lastSeen` (Unix seconds): for a transaction in a block, when the chain was last
 * followed; for one in the mempool, when the newest block was first seen.
 */
export function describeTransaction(
  index: number,
  bytes: number,
  row: Omit<ItemTransaction, 'index'> | undefined,
  view: ChainView,
) {
  const mined = row?.state === 'mined' && row.blockHeight !== null
  const depth = mined && row.blockHeight !== null ? Math.max(0, view.tipHeight - row.blockHeight + 1) : 0
  const deep = depth >= view.confirmations
  const inMempool = row?.state === 'sent' && row.checkedHeight !== null && row.checkedHeight >= view.tipHeight
  const seenAt = mined ? view.steppedAt : inMempool ? view.tipAt : undefined
  const state = deep ? 'stored' : mined ? 'confirmed' : row?.state === 'sent' ? 'sent' : 'waiting'
  return {
    index,
    txid: deep && row ? row.txid : null,
    bytes,
    state,
    depth,
    lastSeen: unixSecondsOrNull(seenAt),
  }
}
