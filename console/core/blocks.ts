/** Most squares in the display of transactions; above that, one square represents several. */
const MAX_SQUARES = 600
const ROUND = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]

export interface BlockField {
  /** Transactions per square. */
  each: number
  full: number
  half: number
  hollow: number
}

/** The squares for so many transactions: in blocks, sent, and to be sent. */
export function fieldOfBlocks(total: number, written: number, confirmed: number): BlockField {
  const each = ROUND.find((size) => total / size <= MAX_SQUARES) ?? Math.ceil(total / MAX_SQUARES)
  const squares = Math.ceil(total / each)
  const full = Math.min(squares, Math.floor(confirmed / each))
  const half = Math.min(squares - full, Math.floor(written / each) - full)
  return { each, full, half: Math.max(0, half), hollow: Math.max(0, squares - full - Math.max(0, half)) }
}
