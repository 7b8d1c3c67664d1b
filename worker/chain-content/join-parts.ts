import { concatBytes } from '../../protocol/bytes.ts'

/** What a step brings at the least (bytes): small parts one by one cost more than joining them. */
const STEP = 256 << 10

/** Bytes of all parts together. */
export function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}

/** Parts joined to steps of some size, one at a time in memory. */
export function* inSteps(parts: readonly Uint8Array[]): Generator<Uint8Array, undefined> {
  let joined: Uint8Array[] = []
  let length = 0
  for (const part of parts) {
    joined.push(part)
    length += part.length
    if (length < STEP) continue
    yield concatBytes(joined)
    joined = []
    length = 0
  }
  if (length > 0) yield concatBytes(joined)
  return undefined
}
