/**
 * Whether these bytes have more than `most` data items of CBOR, including tags (RFC 8949, 3): their number, not their
 * size, decides the time of decoding. Invalid CBOR is left to the decoder.
 */
export function hasMoreItems(bytes: Uint8Array, most: number): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [BYTES, TEXT] = [2, 3]
  let items = 0
  for (let at = 0; at < bytes.byteLength; ) {
    if (++items > most) return true
    const head = view.getUint8(at)
    const type = head >> 5
    const short = head & 31
    // 24 to 27: the argument follows in 1, 2, 4 or 8 bytes.
    const width = short >= 24 && short <= 27 ? 2 ** (short - 24) : 0
    if (at + 1 + width > bytes.byteLength) return false
    const follows = type === BYTES || type === TEXT
    at += 1 + width + (follows ? readArgument(view, at + 1, width, short) : 0)
  }
  return false
}

function readArgument(view: DataView, at: number, width: number, short: number): number {
  if (width === 1) return view.getUint8(at)
  if (width === 2) return view.getUint16(at)
  if (width === 4) return view.getUint32(at)
  if (width === 8) return Number(view.getBigUint64(at))
  return short < 24 ? short : 0
}
