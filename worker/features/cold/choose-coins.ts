import type { Coin } from '../wallet/sql/tx-chains.ts'

/**
 * Coins that are to pay `need` base units: the one that it is tied to, then the smallest that is enough by itself, or else the largest
 * together, at most `maxInputs`. Nothing where they do not suffice. Pure.
 */
export function chooseCoins(
  need: bigint,
  tied: Coin | undefined,
  coins: readonly Coin[],
  maxInputs: number,
): [Coin, ...Coin[]] | undefined {
  const others = coins
    .filter(({ txid, vout }) => txid !== tied?.txid || vout !== tied.vout)
    .toSorted((a, b) => (a.value < b.value ? -1 : 1))
  const first = tied ? [tied] : []
  const lacking = need - (tied?.value ?? 0n)
  const alone = others.find(({ value }) => value >= lacking)
  const sets = [
    ...(tied ? [first] : []),
    ...(alone && maxInputs > first.length ? [[...first, alone]] : []),
    ...Array.from({ length: Math.max(0, maxInputs - first.length) }, (_, more) => [
      ...first,
      ...others.slice(-(more + 1)).reverse(),
    ]),
  ]
  const enough = sets.find((set) => set.reduce((sum, { value }) => sum + value, 0n) >= need)
  const [coin, ...more] = enough ?? []
  return coin && [coin, ...more]
}
