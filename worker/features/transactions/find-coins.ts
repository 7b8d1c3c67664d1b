import { sortCoins } from './sort-coins.ts'
import type { Coin } from './sql/tx-chains.ts'

/**
 * What `planOf` makes of the first coins that are enough for it: the one that a withdrawal is tied to, then with the
 * smallest that is enough by itself, or else with the largest together, at most `maxInputs`. Pure.
 */
export function findCoins<Plan>(
  { coin, coins, maxInputs }: { coin: Coin | undefined; coins: readonly Coin[]; maxInputs: number },
  planOf: (spends: readonly Coin[]) => Plan | undefined,
): Plan | undefined {
  const tied = coin ? [coin] : []
  const rest = sortCoins(coins.filter(({ txid, vout }) => txid !== coin?.txid || vout !== coin.vout))
  const alone = planOf(tied)
  if (alone) return alone
  for (const one of maxInputs > tied.length ? rest : []) {
    const plan = planOf([...tied, one])
    if (plan) return plan
  }
  for (let count = 2; count <= Math.min(rest.length, maxInputs - tied.length); count++) {
    const plan = planOf([...tied, ...rest.slice(-count).reverse()])
    if (plan) return plan
  }
  return undefined
}
