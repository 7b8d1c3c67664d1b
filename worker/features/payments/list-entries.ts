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
import { listPaymentsSince, type WalletEntry } from '../../chain/rpc/transaction-methods.ts'
import { RpcError } from '../../chain/rpc/wallet-rpc.ts'
import { mayHaveMore } from './wallet-growth.ts'

/** What a look at the wallet says beside its entries. */
interface Listed {
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
 * search, or all its payments if the new ones can't be determined.
 */
export async function listEntries(
  context: AgentContext,
  scan: WalletScan | undefined,
  wallet: WalletState,
  take: TakeEntries,
): Promise<Listed> {
  if (!scan) return { waiting: undefined, search: 'none' }
  const { db, rpc, blockchain, now } = context
  const listed = await listSince(context, scan, take)
  // A transaction may be in a block that arrived after those that we followed.
  const followed = await selectHeights(
    db,
    blockchain,
    [...new Set(listed.values())].flatMap((hash) => hash ?? []),
  )
  const waiting = [...listed.values()].filter((hash) => hash === undefined || !followed.has(hash)).length
  if (!scan.searchDue && !mayHaveMore(scan, { ...wallet, listed: listed.size }, now)) return { waiting, search: 'none' }
  // An operator requested a search: the count is 0, as for a wallet that was empty before.
  const isAsked = scan.txCount === 0
  if (!isAsked && scan.searchedAt <= now && now < scan.searchedAt + SEARCH_EVERY) return { waiting, search: 'due' }
  const { txCount, keys } = wallet
  const told = `${txCount} transactions, ${scan.txCount} before, ${listed.size} listed; keys ${keys}`
  console.warn('wallet_searched', blockchain, told)
  try {
    // Transactions that the wallet lost between the two calls are still looked up, so the loss is noticed.
    await listPaymentsSince(rpc, undefined, take)
  } catch (error) {
    // A wallet of too many transactions: what a rescan found then waits for an operator's rewind.
    if (!(error instanceof NodeError && error.failure === 'too_large')) throw error
    console.error('wallet_not_searched', blockchain, error)
  }
  return { waiting, search: 'made' }
}

async function listSince(
  { db, rpc, blockchain }: AgentContext,
  scan: BlockPosition,
  take: TakeEntries,
): Promise<Map<string, string | undefined>> {
  try {
    return await listPaymentsSince(rpc, scan.hash, take)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    // A node that was set up again never had a block that is off the chain now: start from the oldest stored block.
    const oldest = (await selectBlocks(db, blockchain, WINDOW)).at(-1)
    if (!oldest || oldest.hash === scan.hash) throw error
    return await listPaymentsSince(rpc, oldest.hash, take)
  }
}
