import type { WalletScan } from '../../chain/follower/blocks.ts'
import type { WalletState } from '../../chain/rpc/fund-methods.ts'

/** What is known of the last search of a wallet. */
type LastSearch = Omit<WalletScan, 'searchedAt' | 'searchDue'>

/** What a wallet says of itself, and how many transactions it has listed since it was last searched. */
type WalletLook = Pick<WalletState, 'txCount' | 'keys'> & { listed: number }

/**
 * Whether a wallet may have payments that it does not list as new, so that it has to be searched whole: another wallet is in
 * its place, it has more transactions than those listed explain, as after a rescan, or it grows after it has lost some.
 * Where it does not say how many it has, nothing tells. `now` in milliseconds. Pure.
 */
export function mayHaveMore(scan: LastSearch, { txCount, keys, listed }: WalletLook, now: number): boolean {
  // It is not the wallet that was searched then: what this one was paid meanwhile nobody has looked for.
  if (scan.walletKeys !== undefined && keys !== scan.walletKeys) return true
  if (scan.txCount === undefined || txCount === undefined || txCount === scan.txCount) return false
  const grown = txCount - scan.txCount
  // As many as the blocks since then explain. A reorganisation lists again what was known: then that can't be told.
  const isExplained = scan.waiting !== undefined && grown === listed - scan.waiting
  return !isExplained || (grown > 0 && now < scan.restoredUntil)
}

/** Whether a wallet has fewer transactions than when it was last searched, as one that was restored from a backup. Pure. */
export function hasLost(scan: Pick<WalletScan, 'txCount'> | undefined, txCount: number | undefined): boolean {
  return scan?.txCount !== undefined && txCount !== undefined && txCount < scan.txCount
}
