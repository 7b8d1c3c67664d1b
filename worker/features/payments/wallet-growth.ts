import type { WalletScan } from '../../chain/follower/blocks.ts'
import type { WalletState } from '../../chain/rpc/fund-methods.ts'

/** What is known of the last search of a wallet. */
type LastSearch = Omit<WalletScan, 'searchedAt' | 'searchDue' | 'sendsKnown'>

/** What a wallet says of itself, and how many transactions it has listed since it was last searched. */
type WalletLook = Pick<WalletState, 'txCount' | 'keys'> & { listed: number }

/**
 * Whether a wallet may have payments that it does not list as new, so that it must be searched whole. Either another
 * wallet has replaced it, or it has more transactions than the listed ones explain (as after a rescan), or it grows
 * after it has lost some. False if the wallet does not report its number of transactions and its keys are the same.
 * `now` in milliseconds. Pure.
 */
export function mayHaveMore(scan: LastSearch, { txCount, keys, listed }: WalletLook, now: number): boolean {
  // It is not the wallet that was searched: nobody has looked for what this one was paid in between.
  if (scan.walletKeys !== undefined && keys !== scan.walletKeys) return true
  if (scan.txCount === undefined || txCount === undefined || txCount === scan.txCount) return false
  const grown = txCount - scan.txCount
  // The blocks since the last search explain the growth. A reorganisation lists known transactions again; then this
  // can't be determined.
  const isExplained = scan.waiting !== undefined && grown === listed - scan.waiting
  return !isExplained || (grown > 0 && now < scan.restoredUntil)
}

/** Whether a wallet has fewer transactions than when it was last searched, as one that was restored from a backup. Pure. */
export function hasLost(scan: Pick<WalletScan, 'txCount'> | undefined, txCount: number | undefined): boolean {
  return scan?.txCount !== undefined && txCount !== undefined && txCount < scan.txCount
}
