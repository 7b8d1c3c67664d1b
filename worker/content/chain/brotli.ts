import { brotliDecompressSync } from 'node:zlib'
import { concatBytes } from '../../../protocol/bytes.ts'
import { isEmptyFile } from '../../../protocol/empty-file.ts'
import { siteRoot } from '../../../protocol/site-root.ts'
import { CHARSET_BYTES, type Charsets, readCharsets } from '../../../reader/charset.ts'
import type { TakeMemory } from '../../platform/flow/memory-budget.ts'
import { PartsCheck } from './check-parts.ts'

/**
 * What stored bytes are: one whole Brotli stream, and how many bytes that is; plain bytes; or Brotli of more than is served.
 * `root` is the CID of the website that the content begins like ({@link siteRoot}); `charsets` is what its first bytes say
 * of their encoding, which raw transactions lack. `parts` is the step of uncompressed content of which every byte is where its
 * beginning says, `wrong` where one is not ({@link PartsCheck}).
 */
export type StoredForm = { parts?: number | 'wrong' } & (
  | { encoding: 'br'; decodedBytes: number; root?: string; charsets?: Charsets }
  | { encoding: 'identity'; root?: string; charsets?: Charsets }
  | { encoding: 'oversize' }
)

/**
 * Decodes stored content to the end, within `maxBytes`. What is not one whole Brotli stream (RFC 7932), or has
 * bytes behind it, or decodes to nothing, is the bytes it is: short plain text can begin like Brotli. Only the one byte
 * that a file of 0 bytes is stored as ({@link isEmptyFile}) decodes to nothing.
 */
export function decodeStored(
  stored: Uint8Array,
  maxBytes: number,
): { encoding: 'br'; decoded: Uint8Array } | { encoding: 'identity' | 'oversize' } {
  if (isEmptyFile(stored)) return { encoding: 'br', decoded: new Uint8Array(0) }
  try {
    const { bytes, consumed } = decompress(stored, maxBytes)
    return consumed === stored.length && bytes.length > 0
      ? { encoding: 'br', decoded: bytes }
      : { encoding: 'identity' }
  } catch (error) {
    return { encoding: error instanceof RangeError ? 'oversize' : 'identity' }
  }
}

/** What has and decodes to no more than this (bytes) is decoded in one call, by the platform; more in steps. */
export const DECODED_AT_ONCE = 1 << 20
/** The memory of a decoder beside its window (bytes): code tables and input. */
const DECODER_BYTES = 2 << 20

/** The form that {@link decodeStored} finds, for stored content in parts and without its decoded bytes in memory. */
export async function formOf(
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  total: number,
  maxBytes: number,
  take: TakeMemory,
): Promise<StoredForm> {
  const check = new PartsCheck()
  const form = await findForm(check.noted(parts), total, maxBytes, take)
  const found = check.result()
  return found === undefined ? form : { ...form, parts: found }
}

async function findForm(
  parts: AsyncIterable<Uint8Array>,
  total: number,
  maxBytes: number,
  take: TakeMemory,
): Promise<StoredForm> {
  if (total <= DECODED_AT_ONCE) {
    const all: Uint8Array[] = []
    for await (const part of parts) all.push(part)
    const stored = concatBytes(all)
    const outcome = decodeStored(stored, Math.min(DECODED_AT_ONCE, maxBytes))
    if (outcome.encoding === 'br') {
      return { encoding: 'br', decodedBytes: outcome.decoded.length, ...factsOf(outcome.decoded) }
    }
    if (outcome.encoding === 'identity') return { encoding: 'identity', ...factsOf(stored) }
    if (maxBytes <= DECODED_AT_ONCE) return { encoding: 'oversize' }
    return await measure([stored], maxBytes, take)
  }
  return await measure(parts, maxBytes, take)
}

async function measure(
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  maxBytes: number,
  take: TakeMemory,
): Promise<StoredForm> {
  const { NotBrotliError } = await import('./brotli-decoder.ts')
  let decodedBytes = 0
  const [stored, decoded] = [new FirstBytes(), new FirstBytes()]
  try {
    const steps = decodeSteps(noted(parts, stored), take)
    for (;;) {
      const { value, done } = await steps.next()
      if (done) {
        const whole = value && decodedBytes > 0
        return whole
          ? { encoding: 'br', decodedBytes, ...decoded.facts() }
          : { encoding: 'identity', ...stored.facts() }
      }
      decoded.add(value)
      decodedBytes += value.length
      if (decodedBytes > maxBytes) {
        await steps.return(false)
        return { encoding: 'oversize' }
      }
    }
  } catch (error) {
    if (error instanceof NotBrotliError) return { encoding: 'identity', ...stored.facts() }
    throw error
  }
}

/** The first bytes of content, from which a website and its charset are recognised. */
class FirstBytes {
  #bytes = new Uint8Array(0)
  #length = 0

  /** Whether they are there. */
  add(part: Uint8Array): boolean {
    const missing = CHARSET_BYTES - this.#bytes.length
    if (missing > 0) this.#bytes = concatBytes([this.#bytes, part.subarray(0, missing)])
    this.#length += part.length
    return missing <= part.length
  }

  facts(): Facts {
    return factsOf(this.#bytes, this.#length)
  }
}

type Facts = { root?: string; charsets: Charsets }

/** What is known of content by its beginning; `length` is that of all of it. */
function factsOf(start: Uint8Array, length = start.length): Facts {
  const head = start.subarray(0, CHARSET_BYTES)
  const charsets = readCharsets(head, head.length === length)
  const root = siteRoot(head)
  // Base 16 of the multibase table.
  return { charsets, ...(root && { root: `f${Buffer.from(root).toString('hex')}` }) }
}

async function* noted(
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  first: FirstBytes,
): AsyncGenerator<Uint8Array> {
  // The start can be split over parts that are too short to recognise anything.
  let held: Uint8Array[] = []
  for await (const part of parts) {
    held.push(part)
    if (!first.add(part)) continue
    yield held.length === 1 ? part : concatBytes(held)
    held = []
  }
  if (held.length > 0) yield concatBytes(held)
}

/**
 * The decoded bytes of stored Brotli, each step only when it is requested; the decoder's memory is reserved from the isolate's
 * budget. Returns whether it is one complete stream with nothing after it.
 * @throws {NotBrotliError}, {AppError} 503.
 */
export async function* decodeSteps(
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  take: TakeMemory,
): AsyncGenerator<Uint8Array, boolean> {
  const { BrotliDecoder, decodeParts, NotBrotliError } = await import('./brotli-decoder.ts')
  const iterator = Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]()
  const first = await iterator.next()
  const window = first.done ? undefined : windowBytes(first.value[0] ?? 0)
  if (first.done || window === undefined) throw new NotBrotliError('The bytes are no Brotli.')
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield first.value
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  let decoder: InstanceType<typeof BrotliDecoder> | undefined
  const share = await take('decode', window + DECODER_BYTES, { lose: () => decoder?.free() })
  const stored = all()
  try {
    decoder = new BrotliDecoder(share.bytes)
    const steps = decodeParts(decoder, stored)
    for (;;) {
      const { value, done } = await steps.next()
      if (done) return value
      share.touch()
      yield value
      share.touch()
    }
  } finally {
    decoder?.free()
    share.release()
    await stored.return(undefined)
  }
}

/**
 * The window size (bytes) of a stream with this first byte (RFC 7932, 9.1); `undefined` for reserved values, which a
 * decoder may read as a window of up to 1 GiB.
 */
function windowBytes(first: number): number | undefined {
  const large = (first >> 1) & 7
  const small = (first >> 4) & 7
  if ((first & 1) === 0) return 1 << 16
  if (large !== 0) return 1 << (17 + large)
  if (small === 1) return undefined
  return 1 << (small === 0 ? 17 : 8 + small)
}

function decompress(stored: Uint8Array, maxBytes: number): { bytes: Uint8Array; consumed: number } {
  const options = { maxOutputLength: maxBytes, info: true }
  const outcome: unknown = brotliDecompressSync(stored, options)
  // `info` adds the engine, the only source of how much input the stream used.
  if (typeof outcome !== 'object' || outcome === null || !('buffer' in outcome) || !('engine' in outcome)) {
    throw new TypeError('zlib returned no info')
  }
  const { buffer, engine } = outcome
  if (!(buffer instanceof Uint8Array) || typeof engine !== 'object' || engine === null || !('bytesWritten' in engine)) {
    throw new TypeError('zlib returned no info')
  }
  return { bytes: buffer, consumed: Number(engine.bytesWritten) }
}
