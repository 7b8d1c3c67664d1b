/** A field of a protobuf message: its number, and where its value begins and ends in the message. */
export interface ProtobufField {
  number: number
  /** Varint, 64 bits, length-delimited, 32 bits (Protocol Buffers encoding). */
  wireType: 0 | 1 | 2 | 5
  /** Where its tag begins. */
  from: number
  start: number
  end: number
}

/**
 * Says of each field of a message where it stands, without decoding it: what is inside can then be decoded in
 * portions. False for what is no message, from where on nothing is said.
 */
export function scanProtobuf(bytes: Uint8Array, visit: (field: ProtobufField) => void): boolean {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 1; shift <= 2 ** 63; shift *= 128) {
      const byte = bytes[at++]
      if (byte === undefined) return Number.NaN
      value += (byte & 0x7f) * shift
      if (byte < 0x80) return value
    }
    return Number.NaN
  }
  while (at < bytes.byteLength) {
    const from = at
    const tag = varint()
    const wireType = tag & 7
    if (wireType !== 0 && wireType !== 1 && wireType !== 2 && wireType !== 5) return false
    let start = at
    if (wireType === 0) varint()
    else if (wireType === 2) {
      const length = varint()
      start = at
      at += length
    } else at += wireType === 1 ? 8 : 4
    // NaN is not within it either.
    if (!(at <= bytes.byteLength)) return false
    visit({ number: Math.floor(tag / 8), wireType, from, start, end: at })
  }
  return true
}
