import type { Coin } from './sql/tx-chains.ts'

/** Coins by their value, the smallest first; those of one value by their txid, so that a plan is the same each time. Pure. */
export function sortCoins<T extends Pick<Coin, 'txid' | 'value'>>(coins: readonly T[]): T[] {
  return [...coins].sort((a, b) => Number(a.value - b.value) || a.txid.localeCompare(b.txid))
}
