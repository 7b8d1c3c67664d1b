/** A field of a protobuf message: its number, and where its value begins and ends in the bytes. */
export interface ProtobufField {
  number: number
  /** Varint, 64 bits, length-delimited, 32 bits (Protocol Buffers encoding). */
  wireType: 0 | 1 | 2 | 5
  /** Where its tag begins. */
  from: number
  start: number
  end: number
}

/** The position of a message in the bytes, and the most fields that are read. */
interface Stretch {
  start?: number
  end?: number
  fields?: number
}

/** An unsigned varint, not exact from 2^53 on, and where it ends; `undefined` where there is none before `end`. */
export function readVarint(
  bytes: Uint8Array,
  start: number,
  end = bytes.byteLength,
): { value: number; end: number } | undefined {
  let value = 0
  let at = start
  for (let shift = 1; shift <= 2 ** 63 && at < end; shift *= 128) {
    const byte = bytes[at++] ?? 0
    value += (byte & 0x7f) * shift
    if (byte < 0x80) return { value, end: at }
  }
  return undefined
}

/**
 * The position at which the scan stopped: after that many fields, or at the end; `undefined` if the bytes are no message. The
 * position of each field before is reported without decoding it, so that the fields can be decoded in portions.
 */
export function scanProtobuf(
  bytes: Uint8Array,
  visit: (field: ProtobufField) => void,
  { start: first = 0, end: last = bytes.byteLength, fields = Number.POSITIVE_INFINITY }: Stretch = {},
): number | undefined {
  let at = first
  for (let seen = 0; at < last && seen < fields; seen++) {
    const tag = readVarint(bytes, at, last)
    if (!tag) return undefined
    const wireType = tag.value & 7
    if (wireType !== 0 && wireType !== 1 && wireType !== 2 && wireType !== 5) return undefined
    let start = tag.end
    let end = start + (wireType === 1 ? 8 : 4)
    if (wireType === 0 || wireType === 2) {
      const varint = readVarint(bytes, start, last)
      if (!varint) return undefined
      if (wireType === 2) start = varint.end
      end = varint.end + (wireType === 2 ? varint.value : 0)
    }
    if (end > last) return undefined
    visit({ number: Math.floor(tag.value / 8), wireType, from: at, start, end })
    at = end
  }
  return at
}
