/** A meta-block holds at most this many bytes (RFC 7932, 9.2: MLEN of 6 nibbles). */
const MOST_LITERAL = 2 ** 24

/** The bytes around literal content: the window's size comes with the first meta-block's header. */
const HEADER_BYTES = 4
const LAST_EMPTY = 0x03
const WINDOW_BITS = 22

/** The exact length of `literalBrotli` of `size` bytes. */
export function literalBrotliLength(size: number): number {
  return size + HEADER_BYTES * Math.ceil(size / MOST_LITERAL) + 1
}

/**
 * A Brotli stream of uncompressed meta-blocks (RFC 7932, 9.2), for content that compressing would make longer:
 * it goes out with `Content-Encoding: br` like any other. `size`, at least 1, is the length of `content` in all.
 */
export async function* literalBrotli(
  content: AsyncIterable<Uint8Array>,
  size: number,
  blockSize = MOST_LITERAL,
): AsyncGenerator<Uint8Array> {
  let left = size
  let room = 0
  for await (const part of content) {
    for (let bytes = part; bytes.length > 0; ) {
      if (room === 0) {
        room = Math.min(left, blockSize)
        yield metaBlockHeader(room, left === size)
      }
      const taken = bytes.subarray(0, room)
      yield taken
      bytes = bytes.subarray(taken.length)
      room -= taken.length
      left -= taken.length
    }
  }
  yield Uint8Array.of(LAST_EMPTY)
}

// Least significant bit first: WBITS on the first, ISLAST = 0, MNIBBLES = 2 (six), MLEN - 1, ISUNCOMPRESSED = 1.
function metaBlockHeader(length: number, first: boolean): Uint8Array {
  const windowBits = first ? ((WINDOW_BITS - 17) << 1) | 1 : 0
  const shift = first ? 4 : 0
  const bits = BigInt(windowBits) | (((2n << 1n) | (BigInt(length - 1) << 3n) | (1n << 27n)) << BigInt(shift))
  const header = new Uint8Array(HEADER_BYTES)
  for (let i = 0; i < HEADER_BYTES; i++) header[i] = Number((bits >> BigInt(8 * i)) & 0xffn)
  return header
}
