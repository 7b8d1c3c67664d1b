import type { Output } from './sql/outputs.ts'

/** The fields that an output inherits from the replaced transaction. */
type Inherited = Pick<Output, 'replaces' | 'earlyAt' | 'earlyAmount'>

/** An output of a replaced transaction, stored or not. */
type Replaced = Pick<Output, 'address' | 'txid' | 'amount' | 'seenAt'> & Partial<Inherited>

const NOT_REPLACED: Inherited = { replaces: undefined, earlyAt: undefined, earlyAmount: undefined }

/**
 * For a transaction that replaced another one (a fee bump, BIP 125): each of its outputs inherits the time at which the
 * replaced payment to the same address was first seen. The inherited amount per address is limited to what the replaced
 * transaction paid there. `replaced` are outputs of conflicting transactions, which spend the same inputs. Per
 * address the conflicting transaction that was seen first is used, if it was seen before the output. Pure.
 */
export function inheritSeenTime<Paid extends Pick<Output, 'address' | 'amount' | 'seenAt'>>(
  outputs: readonly Paid[],
  replaced: readonly Replaced[],
): (Paid & Inherited)[] {
  const remaining = new Map<string, { replaces: string; earlyAt: number; amount: bigint }>()
  for (const { address, txid, amount, seenAt, earlyAt = seenAt, earlyAmount = amount } of replaced) {
    const first = remaining.get(address)
    if (!first || earlyAt < first.earlyAt) remaining.set(address, { replaces: txid, earlyAt, amount: earlyAmount })
    else if (first.replaces === txid) first.amount += earlyAmount
  }
  return outputs.map((output) => {
    const early = remaining.get(output.address)
    if (!early || early.earlyAt >= output.seenAt || early.amount === 0n) return { ...output, ...NOT_REPLACED }
    const earlyAmount = output.amount < early.amount ? output.amount : early.amount
    early.amount -= earlyAmount
    return { ...output, replaces: early.replaces, earlyAt: early.earlyAt, earlyAmount }
  })
}
