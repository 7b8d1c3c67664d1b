import { WINDOW_BITS } from './brotli-settings.ts'

/** A meta-block holds at most this many bytes (RFC 7932, 9.2: MLEN of 6 nibbles). */
const MAX_LITERAL = 2 ** 24

const LAST_EMPTY = 0x03

/** The exact length of `literalBrotli` of `size` bytes, and of the stream that stores a file of 0 bytes. */
export function literalBrotliLength(size: number, blockSize = MAX_LITERAL): number {
  let length = size + 1
  for (let start = 0; start < size; start += blockSize) {
    length += metaBlockHeader(Math.min(blockSize, size - start), start === 0).length
  }
  return length
}

/** The smallest content that {@link literalBrotli} makes at least `stored` bytes of: what is stored in so many, were it incompressible. */
export function incompressibleSize(stored: number): number {
  let size = Math.max(1, 2 * stored - literalBrotliLength(stored))
  // Too short by the headers that a longer content has more.
  while (literalBrotliLength(size) < stored) size++
  return size
}

/**
 * A Brotli stream of uncompressed meta-blocks (RFC 7932, 9.2), for content that compressing would make longer:
 * it is sent with `Content-Encoding: br` like any other. `size`, at least 1, is the length of `content` in all.
 */
export async function* literalBrotli(
  content: AsyncIterable<Uint8Array>,
  size: number,
  blockSize = MAX_LITERAL,
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

// Least significant bit first: WBITS on the first; ISLAST = 0; MNIBBLES, which must be as few as will do; MLEN - 1;
// ISUNCOMPRESSED = 1; zeros up to the next byte.
function metaBlockHeader(length: number, first: boolean): Uint8Array {
  const nibbles = length > 2 ** 20 ? 6 : length > 2 ** 16 ? 5 : 4
  const fields: [value: number, width: number][] = [
    ...(first ? [[((WINDOW_BITS - 17) << 1) | 1, 4] satisfies [number, number]] : []),
    [0, 1],
    [nibbles - 4, 2],
    [length - 1, 4 * nibbles],
    [1, 1],
  ]
  let bits = 0n
  let width = 0
  for (const [value, count] of fields) {
    bits |= BigInt(value) << BigInt(width)
    width += count
  }
  return Uint8Array.from({ length: Math.ceil(width / 8) }, (_, index) => Number((bits >> BigInt(8 * index)) & 0xffn))
}
