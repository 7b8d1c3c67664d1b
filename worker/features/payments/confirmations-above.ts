import type { Blockchain } from '../../../protocol/chains.ts'
import type { ChainConfig, Config } from '../../platform/config/config.ts'
import { selectOutputsOf } from './sql/outputs.ts'

type Depths = Pick<ChainConfig, 'confirmations' | 'confirmationsAbove'>

/** How many confirmations a transaction needs that pays so much to addresses of ours, base units. Pure. */
export function confirmationsFor(amount: bigint, { confirmations, confirmationsAbove }: Depths): number {
  const steps = confirmationsAbove.filter(({ from }) => amount >= from)
  return Math.max(confirmations, ...steps.map((step) => step.confirmations))
}

/** How many the largest amount needs. Pure. */
export function mostConfirmations({ confirmations, confirmationsAbove }: Depths): number {
  return Math.max(confirmations, ...confirmationsAbove.map((step) => step.confirmations))
}

/**
 * The number of confirmations that each of these transactions needs, if its amount needs more than the chain requires.
 */
export async function readDeeper(
  { db, blockchain, config }: { db: D1Database; blockchain: Blockchain; config: Pick<Config, 'chains'> },
  txids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const depths = config.chains[blockchain]
  if (depths.confirmationsAbove.length === 0) return new Map()
  const sums = new Map<string, bigint>()
  for (const { txid, amount } of await selectOutputsOf(db, blockchain, [...new Set(txids)])) {
    sums.set(txid, (sums.get(txid) ?? 0n) + amount)
  }
  return new Map([...sums].map(([txid, sum]) => [txid, confirmationsFor(sum, depths)]))
}
