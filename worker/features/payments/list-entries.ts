import type { Blockchain } from '../../../protocol/chains.ts'
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
import {
  listPaymentsInPages,
  listPaymentsSince,
  type WalletEntry,
  type WalletHistory,
} from '../../chain/rpc/transaction-methods.ts'
import { RpcError, type WalletRpc } from '../../chain/rpc/wallet-rpc.ts'
import { mayHaveMore } from './wallet-growth.ts'

interface Listed {
  entries: WalletEntry[]
  /** How many transactions of the wallet are in no block that we followed: the next look lists them again. */
  waiting: number | undefined
}

/** What the wallet was paid since it was last searched; all that it ever was where that can't be told. */
export async function listEntries(
  { db, rpc, blockchain, now }: AgentContext,
  tip: BlockPosition,
  scan: WalletScan | undefined,
  wallet: WalletState,
): Promise<Listed> {
  if (!scan) return { entries: [], waiting: undefined }
  const { entries, listed, paged } = await listSince(db, rpc, blockchain, tip, scan)
  // One may be in a block that came after those that we followed.
  const followed = await selectHeights(
    db,
    blockchain,
    [...new Set(listed.values())].flatMap((hash) => hash ?? []),
  )
  const waiting = [...listed.values()].filter((hash) => hash === undefined || !followed.has(hash)).length
  // In pages blocks are told by their depth alone, and some are listed that were before: how many there are says nothing.
  const isSame = scan.txCount !== 0 && (scan.walletKeys === undefined || scan.walletKeys === wallet.keys)
  if (paged && isSame) return { entries, waiting }
  if (!mayHaveMore(scan, { ...wallet, listed: listed.size }, now)) return { entries, waiting }
  const { txCount, keys } = wallet
  const told = `${txCount} transactions, ${scan.txCount} before, ${listed.size} listed; keys ${keys}`
  console.warn('wallet_searched', blockchain, told)
  try {
    // What it forgot between the two answers is asked about still, and so noticed.
    const whole = await inPagesWhereLarge(rpc, Number.POSITIVE_INFINITY, () => listPaymentsSince(rpc, undefined))
    return { entries: [...entries, ...whole.entries], waiting }
  } catch (error) {
    // A wallet of too many transactions: what a rescan found then waits for an operator's rewind.
    if (!isLarge(error)) throw error
    console.error('wallet_not_searched', blockchain, error)
    return { entries, waiting }
  }
}

/** Blocks more than were searched last that are listed in pages: some may come meanwhile. */
const MARGIN = 6

async function listSince(
  db: D1Database,
  rpc: WalletRpc,
  blockchain: Blockchain,
  tip: BlockPosition,
  scan: BlockPosition,
): Promise<WalletHistory & { paged: boolean }> {
  return await inPagesWhereLarge(rpc, tip.height - scan.height + MARGIN, async () => {
    try {
      return await listPaymentsSince(rpc, scan.hash)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      // A node that was set up anew has never seen a block that is off the chain by now: start from the oldest we keep.
      const oldest = (await selectBlocks(db, blockchain, WINDOW)).at(-1)
      if (!oldest || oldest.hash === scan.hash) throw error
      return await listPaymentsSince(rpc, oldest.hash)
    }
  })
}

/** What `list` finds, or, where that is too much for one answer, what pages of the last `depth` blocks have. */
async function inPagesWhereLarge(
  rpc: WalletRpc,
  depth: number,
  list: () => Promise<WalletHistory>,
): Promise<WalletHistory & { paged: boolean }> {
  try {
    return { ...(await list()), paged: false }
  } catch (error) {
    if (!isLarge(error)) throw error
    return { ...(await listPaymentsInPages(rpc, depth)), paged: true }
  }
}

function isLarge(error: unknown): boolean {
  return error instanceof NodeError && error.failure === 'large'
}
