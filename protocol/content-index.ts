import { concatBytes, fromHex, toHex } from './bytes.ts'
import { reverseHex } from './transaction.ts'

/** The fields of an index transaction for content in several transactions (docs/formats.md, "An index transaction"). */
export interface ContentIndex {
  /** The media type: printable ASCII, not checked further. */
  type: string
  /** Length of the content in bytes, decoded. */
  size: number
  /** SHA-256 of the content, decoded, in lowercase hex. */
  sha256: string
  /** What the data of the parts is, joined: one Brotli stream, or the content itself. */
  encoding: 'br' | 'identity'
  /** The txids that hold it, in order. */
  parts: readonly string[]
}

/** The most parts that an index may name: as many as content may have. */
export const MAX_INDEX_PARTS = 15_000
/** The longest media type in bytes. */
const MAX_TYPE = 255

// "HOOKID1" behind a byte that begins no Brotli stream (RFC 7932, 9.1).
const MAGIC = Uint8Array.of(0x91, 0x48, 0x4f, 0x4f, 0x4b, 0x49, 0x44, 0x31)
/** SHA-256, 32 bytes (multihash table). */
const SHA256 = '1220'
const TXID_BYTES = 32

/** Major types of CBOR (RFC 8949, 3.1). */
const [UINT, BYTES, TEXT, ARRAY, MAP] = [0, 2, 3, 4, 5]

/** Whether the data of a transaction begins like an index. */
export function startsLikeIndex(data: Uint8Array): boolean {
  return MAGIC.every((byte, at) => data[at] === byte)
}

/**
 * The data of an index transaction: the eight bytes, then canonical DAG-CBOR, with keys ordered by length and then by bytes.
 * @throws {RangeError} for values that an index can't have.
 */
export function encodeContentIndex({ type, size, sha256, encoding, parts }: ContentIndex): Uint8Array<ArrayBuffer> {
  const hash = fromHex(SHA256 + sha256) ?? new Uint8Array(0)
  const isFormed = /^[\x20-\x7e]+$/.test(type) && type.length <= MAX_TYPE && Number.isSafeInteger(size) && size >= 0
  if (!isFormed || hash.length !== 34 || parts.length < 1 || parts.length > MAX_INDEX_PARTS) {
    throw new RangeError('No index may say this.')
  }
  return concatBytes([
    MAGIC,
    head(MAP, 6),
    ...[text('v'), head(UINT, 1)],
    ...[text('hash'), head(BYTES, hash.length), hash],
    ...[text('size'), head(UINT, size)],
    ...[text('type'), text(type)],
    ...[text('parts'), head(ARRAY, parts.length), ...parts.flatMap(txidBytes)],
    ...[text('encoding'), text(encoding)],
  ])
}

/** The length in bytes of the index of content of this size and type in this number of Brotli parts. */
export function contentIndexLength({ type, size, parts }: { type: string; size: number; parts: number }): number {
  const one = { type, size, sha256: '00'.repeat(32), encoding: 'br', parts: ['00'.repeat(TXID_BYTES)] } as const
  const each = head(BYTES, TXID_BYTES).length + TXID_BYTES
  return encodeContentIndex(one).length - 1 - each + head(ARRAY, parts).length + parts * each
}

/**
 * The index in the data of a transaction; `undefined` if that is no index. Data in another than the canonical form, with a key more
 * or less, or with bytes after it, is no index.
 */
export function decodeContentIndex(data: Uint8Array): ContentIndex | undefined {
  if (!startsLikeIndex(data)) return undefined
  try {
    const index = read(data)
    const canonical = encodeContentIndex(index)
    const same = canonical.length === data.length && canonical.every((byte, at) => byte === data[at])
    return same ? index : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The values at their positions in the canonical form. The caller compares the encoded result, which checks the rest. */
function read(data: Uint8Array): ContentIndex {
  let at = MAGIC.length
  const take = (length: number): Uint8Array => {
    if (length > data.length - at) throw new RangeError('The index ends too early.')
    at += length
    return data.subarray(at - length, at)
  }
  const value = (): number => {
    const [first = 0] = take(1)
    const short = first & 31
    if (short < 24) return short
    if (short > 27) throw new RangeError('No length is here.')
    return take(1 << (short - 24)).reduce((sum, byte) => sum * 256 + byte, 0)
  }
  const skipKey = (key: string) => take(text(key).length)
  const ascii = () => String.fromCharCode(...take(Math.min(value(), MAX_TYPE + 1)))
  take(head(MAP, 6).length)
  skipKey('v')
  value()
  skipKey('hash')
  const sha256 = toHex(take(value())).slice(SHA256.length)
  skipKey('size')
  const size = value()
  skipKey('type')
  const type = ascii()
  skipKey('parts')
  const count = value()
  if (count > MAX_INDEX_PARTS) throw new RangeError('The index has too many parts.')
  const parts = Array.from({ length: count }, () => reverseHex(take(value())))
  skipKey('encoding')
  return { type, size, sha256, encoding: ascii() === 'br' ? 'br' : 'identity', parts }
}

/** The head of a data item, as short as it can be (RFC 8949, 4.2.1). */
function head(major: number, value: number): Uint8Array {
  const type = major << 5
  if (value < 24) return Uint8Array.of(type | value)
  const [log = 3] = [0, 1, 2].filter((log) => value < 256 ** (1 << log))
  const bytes = Array.from({ length: 1 << log }, (_, at) => Math.floor(value / 256 ** ((1 << log) - 1 - at)) % 256)
  return Uint8Array.of(type | (24 + log), ...bytes)
}

function text(ascii: string): Uint8Array {
  return concatBytes([head(TEXT, ascii.length), Uint8Array.from(ascii, (sign) => sign.charCodeAt(0))])
}

function txidBytes(txid: string): Uint8Array[] {
  const bytes = fromHex(txid)
  if (bytes?.length !== TXID_BYTES) throw new RangeError('A part is no txid.')
  return [head(BYTES, TXID_BYTES), bytes.reverse()]
}
