import type { AgentContext } from '../../chain/follower/agent-context.ts'
import {
  type BlockPosition,
  selectBlocks,
  selectHeights,
  type WalletScan,
  WINDOW,
} from '../../chain/follower/blocks.ts'
import type { WalletState } from '../../chain/rpc/fund-methods.ts'
import { NodeError } from '../../chain/rpc/rpc-transport.ts'
import { listHistorySince, type WalletEntry, type WalletHistory } from '../../chain/rpc/transaction-methods.ts'
import { RpcError } from '../../chain/rpc/wallet-rpc.ts'
import type { FoundSends } from './record-sends.ts'
import { mayHaveMore } from './wallet-growth.ts'

/** What a look at the wallet says beside its entries. */
interface Listed extends FoundSends {
  /** How many transactions of the wallet are in no block that we followed: the next look lists them again. */
  waiting: number | undefined
  /** Whether the whole wallet was searched, is to be searched later, or neither. */
  search: 'made' | 'due' | 'none'
}

/**
 * The minimum time between two automatic searches of a whole wallet, in milliseconds: each makes the node read all its
 * history.
 */
export const SEARCH_EVERY = 600_000

type TakeEntries = (entries: WalletEntry[]) => Promise<void>

/**
 * Returns what a look at the wallet found beside its entries. Passes to `take` what the wallet was paid since the last
 * search, or all its payments if the new ones can't be determined. What left the wallet is returned in the same way; the first time,
 * all that ever did.
 */
export async function listEntries(
  context: AgentContext,
  scan: WalletScan | undefined,
  wallet: WalletState,
  take: TakeEntries,
): Promise<Listed> {
  if (!scan) return { waiting: undefined, search: 'none', sends: [], above: -1 }
  const { db, blockchain, now } = context
  const { listed, sends, above } = await listSince(context, scan, take)
  // A transaction may be in a block that arrived after those that we followed.
  const followed = await selectHeights(
    db,
    blockchain,
    [...new Set(listed.values())].flatMap((hash) => hash ?? []),
  )
  const waiting = [...listed.values()].filter((hash) => hash === undefined || !followed.has(hash)).length
  const found = { waiting, sends, above }
  // As a search of what it was paid it does not count: addresses may be known only later.
  if (!scan.sendsKnown) return { ...found, search: 'none', ...(await searchWhole(context, take)) }
  if (!scan.searchDue && !mayHaveMore(scan, { ...wallet, listed: listed.size }, now))
    return { ...found, search: 'none' }
  // An operator requested a search: the count is 0, as for a wallet that was empty before.
  const isAsked = scan.txCount === 0
  if (!isAsked && scan.searchedAt <= now && now < scan.searchedAt + SEARCH_EVERY) return { ...found, search: 'due' }
  const { txCount, keys } = wallet
  const told = `${txCount} transactions, ${scan.txCount} before, ${listed.size} listed; keys ${keys}`
  console.warn('wallet_searched', blockchain, told)
  return { ...found, search: 'made', ...(await searchWhole(context, take)) }
}

/** All that ever left the wallet, unless it has too many transactions. */
async function searchWhole({ rpc, blockchain }: AgentContext, take: TakeEntries): Promise<Partial<FoundSends>> {
  try {
    // Transactions that the wallet lost between the two calls are still looked up, so the loss is noticed.
    const { sends } = await listHistorySince(rpc, undefined, take)
    return { sends, above: -1 }
  } catch (error) {
    if (!(error instanceof NodeError && error.failure === 'too_large')) throw error
    console.error('wallet_not_searched', blockchain, error)
    return { isUnsearched: true }
  }
}

async function listSince(
  { db, rpc, blockchain }: AgentContext,
  scan: BlockPosition,
  take: TakeEntries,
): Promise<WalletHistory & FoundSends> {
  try {
    return { ...(await listHistorySince(rpc, scan.hash, take)), above: scan.height }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    // A node that was set up again never had a block that is off the chain now: start from the oldest stored block.
    const oldest = (await selectBlocks(db, blockchain, WINDOW)).at(-1)
    if (!oldest || oldest.hash === scan.hash) throw error
    return { ...(await listHistorySince(rpc, oldest.hash, take)), above: Math.min(scan.height, oldest.height) }
  }
}
