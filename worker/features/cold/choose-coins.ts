import { findCoins } from '../wallet/find-coins.ts'
import type { Coin } from '../wallet/sql/tx-chains.ts'

/** The coins that are to pay `need` base units, as {@link findCoins} has them; nothing where they do not suffice. Pure. */
export function chooseCoins(
  need: bigint,
  coin: Coin | undefined,
  coins: readonly Coin[],
  maxInputs: number,
): [Coin, ...Coin[]] | undefined {
  return findCoins({ coin, coins, maxInputs }, ([first, ...others]) => {
    const sum = others.reduce((total, { value }) => total + value, first?.value ?? 0n)
    return first && sum >= need ? [first, ...others] : undefined
  })
}
