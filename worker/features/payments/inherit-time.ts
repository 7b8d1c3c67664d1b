import type { Output } from './sql/outputs.ts'

/** What an output has of the one in whose place it came. */
type Inherited = Pick<Output, 'replaces' | 'earlyAt' | 'earlyAmount'>

const NOTHING: Inherited = { replaces: undefined, earlyAt: undefined, earlyAmount: undefined }

/**
 * Gives the outputs of a transaction that replaced others the time of what these paid to the same address, for no more than
 * they paid there: the payer only raised the fee. `replaced` are known outputs of transactions that spend the same coins; those
 * that were seen earlier count. Pure.
 */
export function inheritTime<Paid extends Pick<Output, 'address' | 'amount' | 'seenAt'>>(
  outputs: readonly Paid[],
  replaced: readonly Output[],
): (Paid & Inherited)[] {
  const left = new Map<string, { replaces: string; earlyAt: number; amount: bigint }>()
  for (const { address, txid, amount, seenAt, earlyAt = seenAt, earlyAmount = amount } of replaced) {
    const known = left.get(address)
    if (!known || earlyAt < known.earlyAt) left.set(address, { replaces: txid, earlyAt, amount: earlyAmount })
    else if (known.replaces === txid) known.amount += earlyAmount
  }
  return outputs.map((output) => {
    const early = left.get(output.address)
    if (!early || early.earlyAt >= output.seenAt || early.amount === 0n) return { ...output, ...NOTHING }
    const earlyAmount = output.amount < early.amount ? output.amount : early.amount
    early.amount -= earlyAmount
    return { ...output, replaces: early.replaces, earlyAt: early.earlyAt, earlyAmount }
  })
}
