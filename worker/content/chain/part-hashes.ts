import { createHash } from 'node:crypto'
import type { ByteRange } from '../../../contract/byte-range.ts'
import { shareEventLoop } from '../../platform/flow/budget.ts'
import { HELD_BYTES } from '../../platform/http/stream-body.ts'

/** What is hashed, and checked, at a time (bytes): each reader holds one. */
export const PART_BYTES = 512 << 10
/** What hashing one counts as, in units of a budget. */
const PART_UNITS = 12
/** Digits of a part's SHA-256 that are stored: 128 bits, and those of 44 MiB fit beside an object of R2 (2 KB). */
const DIGITS = 22

/** SHA-256 of bytes as a whole, and of each part of them, for whoever reads only a part or sends it on before the end. */
export async function hashParts(
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<{ sha256: string; sums: string }> {
  const whole = createHash('sha256')
  let sums = ''
  let part = createHash('sha256')
  let hashed = 0
  for await (const bytes of parts) {
    whole.update(bytes)
    for (let start = 0; start < bytes.length; ) {
      const end = Math.min(bytes.length, start + PART_BYTES - hashed)
      part.update(bytes.subarray(start, end))
      hashed += end - start
      start = end
      if (hashed < PART_BYTES) continue
      await shareEventLoop(PART_UNITS)
      sums += part.digest('base64url').slice(0, DIGITS)
      part = createHash('sha256')
      hashed = 0
    }
  }
  if (hashed > 0) sums += part.digest('base64url').slice(0, DIGITS)
  return { sha256: whole.digest('hex'), sums }
}

/** Whether sums are those of so many bytes, as far as their number says. */
export function isHashListOf(sums: string | undefined, size: number): sums is string {
  return sums?.length === DIGITS * Math.ceil(size / PART_BYTES)
}

/**
 * The bytes of `range`; each part is compared with its hash before any of it is returned. `read` returns a range of the bytes.
 * @throws what `damaged` returns, for a part that is wrong or missing.
 */
export async function* readChecked(
  { size, sums }: { size: number; sums: string },
  range: ByteRange,
  read: (range: ByteRange) => Promise<ReadableStream<Uint8Array> | undefined>,
  damaged: () => Promise<Error>,
): AsyncGenerator<Uint8Array> {
  const first = Math.floor(range.start / PART_BYTES)
  const start = first * PART_BYTES
  const end = Math.min(size, Math.ceil((range.end + 1) / PART_BYTES) * PART_BYTES) - 1
  const reader = (await read({ start, end }))?.getReader({ mode: 'byob' })
  let buffer = new Uint8Array(Math.min(PART_BYTES, end + 1 - start))
  try {
    for (let number = first; number * PART_BYTES <= end; number++) {
      const at = number * PART_BYTES
      const length = Math.min(PART_BYTES, end + 1 - at)
      const bytes = (await reader?.readAtLeast(length, buffer.subarray(0, length)))?.value
      await shareEventLoop(PART_UNITS)
      const sum = bytes?.length === length && createHash('sha256').update(bytes).digest('base64url').slice(0, DIGITS)
      if (!bytes || sum !== sums.slice(number * DIGITS, (number + 1) * DIGITS)) throw await damaged()
      const wanted = bytes.subarray(Math.max(0, range.start - at), range.end + 1 - at)
      yield wanted
      // The reader has sent it now, except for what is read before the status is sent.
      buffer = wanted.length < HELD_BYTES ? new Uint8Array(PART_BYTES) : new Uint8Array(bytes.buffer)
    }
  } finally {
    await reader?.cancel()
  }
}
