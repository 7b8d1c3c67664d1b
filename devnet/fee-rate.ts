import type { NodeSettings } from './node-settings.ts'

/** The fee for a size, rounded as CFeeRate::GetFee does: up from Core 30 on; before that down, but never to zero. */
export function feeFor(rate: bigint, vsize: number, { cluster }: Pick<NodeSettings, 'cluster'>): bigint {
  const thousandths = rate * BigInt(vsize)
  if (cluster) return (thousandths + 999n) / 1000n
  const fee = thousandths / 1000n
  return fee === 0n && rate > 0n ? 1n : fee
}

/** Coins in a node's messages: FormatMoney prints at least two decimals, and no zeros after those. */
export function formatMoney(units: bigint, { cluster }: Pick<NodeSettings, 'cluster'>): string {
  const fraction = (units % 100_000_000n).toString().padStart(8, '0')
  const shown = cluster ? `${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}` : fraction
  return `${units / 100_000_000n}.${shown}`
}
