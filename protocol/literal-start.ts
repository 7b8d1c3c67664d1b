/** How a Brotli stream begins whose first meta-block is uncompressed; in bytes. */
export interface LiteralStart {
  /** Before the content. */
  header: number
  /** Of the content in the meta-block. */
  length: number
}

/** The longest such beginning: WBITS of 7 bits, ISLAST, MNIBBLES, MLEN of 24 bits, ISUNCOMPRESSED. */
const MAX_HEADER_BYTES = 5

/**
 * The beginning of a Brotli stream whose first meta-block is uncompressed (RFC 7932, 9.1 and 9.2); `undefined` for any other.
 * Every decoder then yields the bytes behind it as they are.
 */
export function readLiteralStart(data: Uint8Array): LiteralStart | undefined {
  let bits = 0n
  for (let index = Math.min(data.length, MAX_HEADER_BYTES) - 1; index >= 0; index--) {
    bits = (bits << 8n) | BigInt(data[index] ?? 0)
  }
  let width = 0
  const take = (count: number): number => {
    const value = Number((bits >> BigInt(width)) & ((1n << BigInt(count)) - 1n))
    width += count
    return value
  }
  if (!skipWindow(take)) return undefined
  const isLast = take(1) === 1
  const nibbles = 4 + take(2)
  if (isLast || nibbles > 6) return undefined
  const length = take(4 * nibbles) + 1
  const isUncompressed = take(1) === 1
  const header = Math.ceil(width / 8)
  // More nibbles than are needed, or other bits than zeros up to the next byte, are no valid stream.
  const isShortest = nibbles === 4 || length > 2 ** (4 * (nibbles - 1))
  const isPadded = take(8 * header - width) === 0
  if (!isUncompressed || !isShortest || !isPadded || data.length < header) return undefined
  return { header, length }
}

/** Reads the size of the window (RFC 7932, 9.1); false for one that is none. */
function skipWindow(take: (count: number) => number): boolean {
  if (take(1) === 0) return true
  if (take(3) !== 0) return true
  return take(3) !== 1
}
