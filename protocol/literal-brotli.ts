import { WINDOW_BITS } from './brotli-settings.ts'
import { headerOf, layOut, lengthOfParts, partOf } from './literal-parts.ts'

/** A meta-block holds at most this many bytes (RFC 7932, 9.2: MLEN of 6 nibbles). */
const MAX_LITERAL = 2 ** 24

const LAST_EMPTY = 0x03

/**
 * What compressing must save at least where ranges of the uncompressed content can be read by their transactions alone. Measured
 * with files of 100 KB to 14 MB, Brotli saves of video (MP4) 0 to 0.5 %, fonts (WOFF2) 0, pictures (PNG) 0 to 1.4, photographs
 * (JPEG) 0 to 2.5, archives (ZIP) 0.3 to 8.9 and PDF 2 to 3.1; of screenshots (JPEG) 14, and of text and programs 50 to 90.
 */
const LEAST_GAIN = 1 / 32

/**
 * The exact length of `literalBrotli` of `size` bytes in transactions of `step` data bytes, and of the stream that stores a file
 * of 0 bytes.
 */
export function literalBrotliLength(size: number, step: number): number {
  const layout = layOut(size, step)
  if (layout) return lengthOfParts(layout)
  let length = size + 1
  for (let start = 0; start < size; start += MAX_LITERAL) {
    length += metaBlockHeader(Math.min(MAX_LITERAL, size - start), start === 0).length
  }
  return length
}

/**
 * The most bytes that content of `size` bytes may have compressed, to be stored so in transactions of `step` data bytes: what is
 * longer is stored uncompressed, where that has at most `most` bytes.
 */
export function mostCompressed(size: number, step: number, most: number): number {
  const literal = literalBrotliLength(size, step)
  if (literal > most) return most
  return layOut(size, step) ? Math.floor(literal * (1 - LEAST_GAIN)) : literal
}

/** The length that content of `size` bytes is stored in, by its `compressed` length and the rule of {@link mostCompressed}. */
export function storedLength(compressed: number, size: number, step: number, most: number): number {
  return compressed <= mostCompressed(size, step, most) ? compressed : literalBrotliLength(size, step)
}

/** The smallest content that {@link literalBrotli} makes at least `stored` bytes of: what is stored in so many, were it incompressible. */
export function incompressibleSize(stored: number, step: number): number {
  let size = Math.max(1, 2 * stored - literalBrotliLength(stored, step))
  // Too short by the headers that a longer content has more.
  while (literalBrotliLength(size, step) < stored) size++
  return size
}

/**
 * A Brotli stream of uncompressed meta-blocks (RFC 7932, 9.2), for content that compressing makes longer, or hardly shorter:
 * it is sent with `Content-Encoding: br` like any other. Each transaction of `step` data bytes begins with a meta-block that ends
 * with it, where ranges gain from that (docs/formats.md, "A range of content"). `size`, at least 1, is the length of `content` in all.
 */
export async function* literalBrotli(
  content: AsyncIterable<Uint8Array>,
  size: number,
  step: number,
): AsyncGenerator<Uint8Array> {
  const blocks = blocksOf(size, step)
  let room = 0
  for await (const part of content) {
    for (let bytes = part; bytes.length > 0; ) {
      if (room === 0) {
        const { value, done } = blocks.next()
        if (done) throw new Error(`the content has more than ${size} bytes`)
        yield value.header
        room = value.length
      }
      const taken = bytes.subarray(0, room)
      yield taken
      bytes = bytes.subarray(taken.length)
      room -= taken.length
    }
  }
  yield Uint8Array.of(LAST_EMPTY)
}

/** The meta-blocks of the stream: what is before the content of each, and how many bytes that has. */
function* blocksOf(size: number, step: number): Generator<{ header: Uint8Array; length: number }, undefined> {
  const layout = layOut(size, step)
  let index = 0
  for (let start = 0; start < size; index++) {
    const length = layout ? partOf(layout, index).length : Math.min(MAX_LITERAL, size - start)
    yield { header: layout ? headerOf(layout, index) : metaBlockHeader(length, start === 0), length }
    start += length
  }
  return undefined
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
