/** The lowest quote with which an item may be written at `feeRate`, both in base units per 1,000 vbytes. Pure. */
export function leastQuote(feeRate: bigint, ceilingPercent: number): bigint {
  const percent = BigInt(ceilingPercent)
  return (feeRate * 100n + percent - 1n) / percent
}

/** Whether what was quoted `write.feeRate` may be written at `feeRate`, base units per 1,000 vbytes. Pure. */
export function isAffordable(write: { feeRate: bigint }, feeRate: bigint, ceilingPercent: number): boolean {
  return write.feeRate >= leastQuote(feeRate, ceilingPercent)
}
