import type { SizedBody } from '../../platform/http/respond.ts'
import { HELD_BYTES } from '../../platform/http/stream-body.ts'

/** Bytes that are converted to hex at a time, into the same buffer; bytes in memory are converted at once. */
const HEX_STEP = 64 << 10

/** The hex digits of a body between two texts; the length of `before` must suit {@link writeHex}. */
export function hexBody(before: string, body: Uint8Array | SizedBody, after: string): Uint8Array | SizedBody {
  if (body instanceof Uint8Array) return joinHex(before, body, after)
  const encoder = new TextEncoder()
  const digits = { start: before.length, end: before.length + 2 * body.size }
  return {
    kind: 'file',
    size: digits.end + after.length,
    async *read({ start, end }) {
      if (start < digits.start) yield encoder.encode(before.slice(start, end + 1))
      let at = Math.max(start, digits.start)
      // The reader has sent a step when it requests the next one, except for steps that are read before the status is sent.
      const step = new Uint8Array(2 * HEX_STEP)
      const last = Math.min(end, digits.end - 1)
      const wanted = { start: (at - digits.start) >> 1, end: (last - digits.start) >> 1 }
      if (at <= last) {
        for await (const bytes of body.read(wanted)) {
          for (let from = 0; from < bytes.length; from += HEX_STEP) {
            const given = bytes.subarray(from, from + HEX_STEP)
            writeHex(given, step)
            const skipped = (at - digits.start) & 1
            const made = Math.min(2 * given.length - skipped, last + 1 - at)
            const hex = step.subarray(skipped, skipped + made)
            yield made < HELD_BYTES ? hex.slice() : hex
            at += made
          }
        }
      }
      if (end >= digits.end) yield encoder.encode(after.slice(at - digits.end, end + 1 - digits.end))
    },
  }
}

function joinHex(before: string, bytes: Uint8Array, after: string): Uint8Array {
  const body = new Uint8Array(before.length + 2 * bytes.length + after.length)
  const encoder = new TextEncoder()
  encoder.encodeInto(before, body)
  writeHex(bytes, body.subarray(before.length))
  encoder.encodeInto(after, body.subarray(before.length + 2 * bytes.length))
  return body
}

/** The two digits of each byte, in memory order. */
const DIGITS = new Uint16Array(
  Uint8Array.from({ length: 512 }, (_, index) => '0123456789abcdef'.charCodeAt((index >> (index & 1 ? 1 : 5)) & 15))
    .buffer,
)

/** The four digits of each pair of bytes, in memory order; made for the first request of hex. */
let pairDigits: Uint32Array | undefined

function makePairDigits(): Uint32Array {
  return Uint32Array.from({ length: 1 << 16 }, (_, pair) => digitsOf(pair & 0xff) + digitsOf(pair >> 8) * 0x10000)
}

function digitsOf(byte: number): number {
  return DIGITS[byte] ?? 0
}

/**
 * Writes the hex digits of `bytes` to the start of `target`, whose offset in its buffer is a multiple of 4. By pairs of
 * bytes 550 to 900 MB/s in workerd, by single bytes 150 to 270, by `toHex` and by `Buffer` 60 to 170.
 */
export function writeHex(bytes: Uint8Array, target: Uint8Array): void {
  pairDigits ??= makePairDigits()
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice()
  const pairs = new Uint16Array(aligned.buffer, aligned.byteOffset, bytes.length >> 1)
  const digits = new Uint32Array(target.buffer, target.byteOffset, pairs.length)
  for (let index = 0; index < digits.length; index++) digits[index] = pairDigits[pairs[index] ?? 0] ?? 0
  if (bytes.length % 2 === 0) return
  const last = digitsOf(bytes[bytes.length - 1] ?? 0)
  target[2 * bytes.length - 2] = last & 0xff
  target[2 * bytes.length - 1] = last >> 8
}
