/** A field of a protobuf message: its number, its wire type and its byte offsets. */
export interface ProtobufField {
  number: number
  /** 0: varint, 1: 64 bits, 2: length-delimited, 5: 32 bits (Protocol Buffers encoding). */
  wireType: 0 | 1 | 2 | 5
  /** Offset of the tag. */
  tagStart: number
  /** Offset of the value, after the tag and the length. */
  valueStart: number
  /** Offset after the value. */
  end: number
}

/** The offsets of the bytes to scan, and the maximum number of fields. */
interface ScanRange {
  start?: number
  end?: number
  fields?: number
}

/** Decodes an unsigned varint; a value of 2^53 or more is not exact. Returns `undefined` if no varint ends before `end`. */
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
 * Calls `visit` with the offsets of each field, without decoding the value. Returns the offset at which the scan stopped:
 * after `fields` fields, or `end`; `undefined` if the bytes are no valid message. A caller can scan a message in parts.
 */
export function scanProtobuf(
  bytes: Uint8Array,
  visit: (field: ProtobufField) => void,
  { start: first = 0, end: last = bytes.byteLength, fields = Number.POSITIVE_INFINITY }: ScanRange = {},
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
    visit({ number: Math.floor(tag.value / 8), wireType, tagStart: at, valueStart: start, end })
    at = end
  }
  return at
}
