import { feeFor, transactionVsize } from '../../../../protocol/transaction-size.ts'
import { isBump, isConsolidation, type OwnTransaction } from '../sql/transactions.ts'

/** The fee rate that an item or a withdrawal was quoted, base units per 1,000 vbytes. */
export interface Quote {
  id: string
  feeRate: bigint
}

/** What transactions of one tx chain are evaluated with. */
type Waiting = Pick<OwnTransaction, 'itemId' | 'withdrawalId' | 'seq' | 'vsize' | 'fee'>

/** The highest fee rate that is paid for what was quoted `feeRate`. Pure. */
export function ceilingOf(feeRate: bigint, ceilingPercent: number): bigint {
  return (feeRate * BigInt(ceilingPercent)) / 100n
}

/** What the transactions that wait in a tx chain may pay, their bump left aside. */
export interface TxChainCeiling {
  /** Base units for all of them. */
  most: bigint
  /** The highest ceiling of one, base units per 1,000 vbytes; 0 where none has a quote. */
  dearest: bigint
}

/**
 * What the transactions of a tx chain may pay together: for each what the item or withdrawal that it is for was quoted, as
 * often as the ceiling allows, and for one that makes one coin of several what it was made with. A bump adds nothing. Pure.
 */
export function txChainCeiling(
  own: readonly Waiting[],
  quotes: readonly Quote[],
  ceilingPercent: number,
): TxChainCeiling {
  const rates = new Map(quotes.map(({ id, feeRate }) => [id, feeRate]))
  let most = 0n
  let dearest = 0n
  for (const one of own) {
    const { vsize, fee } = one
    const id = one.itemId ?? one.withdrawalId
    const made = isConsolidation(one) ? (fee * 1000n) / BigInt(vsize) : undefined
    const rate = id === undefined ? made : rates.get(id)
    if (rate === undefined) continue
    const ceiling = ceilingOf(rate, ceilingPercent)
    most += feeFor(vsize, ceiling)
    if (ceiling > dearest) dearest = ceiling
  }
  return { most, dearest }
}

/**
 * The most that all of a tx chain may pay together, in base units: what {@link txChainCeiling} says, and for the bump itself what the
 * dearest of them may. Items of different prices may be in one tx chain, and none pays for another. No limit where none
 * has a quote. Pure.
 */
export function maxFeeOf(
  own: readonly Waiting[],
  quotes: readonly Quote[],
  ceilingPercent: number,
  script: string,
): bigint | undefined {
  const { most, dearest } = txChainCeiling(own, quotes, ceilingPercent)
  return dearest === 0n ? undefined : most + feeFor(bumpVsize(script), dearest)
}

/** Virtual bytes of a bump in a tx chain of this script: one input, one output. */
export function bumpVsize(script: string): number {
  return transactionVsize([script], [script.length / 2])
}

/**
 * The conditions that a tx chain must meet before anything is added to it; the fee rate in base units per 1,000 vbytes.
 */
export interface TxChainTerms {
  feeRate: bigint
  /** Of the whole tx chain, as {@link maxFeeOf} has it. */
  most: bigint | undefined
  dust: bigint
}

/**
 * Whether what waits in a tx chain pays nine tenths of the fee rate of now, all of it together, or can be raised to that: what
 * it may pay suffices, and what its end has left. `own` is in the order of the tx chain. Pure.
 */
export function paysEnough(
  own: readonly OwnTransaction[],
  script: string,
  { feeRate, most, dust }: TxChainTerms,
): boolean {
  const end = own.at(-1)
  if (!end) return true
  const asked = nineTenths(feeRate)
  const { vbytes, paid } = sumOf(own)
  if (paid >= feeFor(vbytes, asked)) return true
  const all = feeFor(vbytes + bumpVsize(script), asked)
  return (most === undefined || all <= most) && end.changeValue - (all - paid) >= dust
}

/**
 * Whether what waits in a tx chain pays less than nine tenths of the fee rate of now, all of it together, and may not be raised to
 * that. `own` is in the order of the tx chain, `most` as {@link maxFeeOf} has it. Pure.
 */
export function isAboveCeiling(
  own: readonly OwnTransaction[],
  script: string,
  { feeRate, most }: Pick<TxChainTerms, 'feeRate' | 'most'>,
): boolean {
  const asked = nineTenths(feeRate)
  const { vbytes, paid } = sumOf(own)
  if (most === undefined || paid >= feeFor(vbytes, asked)) return false
  const end = own.at(-1)
  const replaced = end && isBump(end) ? end.vsize : 0
  return feeFor(vbytes - replaced + bumpVsize(script), asked) > most
}

function sumOf(own: readonly OwnTransaction[]): { vbytes: number; paid: bigint } {
  return {
    vbytes: own.reduce((sum, { vsize }) => sum + vsize, 0),
    paid: own.reduce((sum, { fee }) => sum + fee, 0n),
  }
}

/** Nine tenths of a fee rate, which counts as good enough. */
export function nineTenths(feeRate: bigint): bigint {
  return (feeRate * 9n) / 10n
}
