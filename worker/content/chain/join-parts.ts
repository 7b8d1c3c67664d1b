import { concatBytes } from '../../../protocol/bytes.ts'

/** The least size of a step of joined parts (bytes): small parts one by one cost more than joining them. */
const STEP = 256 << 10
/** A part of at least this many bytes is a step of its own, without a copy. */
const LARGE_PART = 64 << 10

/** Bytes of all parts together. */
export function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}

/** The parts in order, small ones joined to steps of some size, one at a time in memory. */
export function* inSteps(parts: readonly Uint8Array[]): Generator<Uint8Array, undefined> {
  let joined: Uint8Array[] = []
  let length = 0
  for (const part of parts) {
    const large = part.length >= LARGE_PART
    if (!large) {
      joined.push(part)
      length += part.length
    }
    if (length >= STEP || (large && length > 0)) {
      yield concatBytes(joined)
      joined = []
      length = 0
    }
    if (large) yield part
  }
  if (length > 0) yield concatBytes(joined)
  return undefined
}
