/**
 * Uncompressed content in transactions, each of which holds a known stretch of it (docs/formats.md, "A range of content"); in
 * bytes.
 */
export interface LiteralLayout {
  /** Of the content. */
  size: number
  /** Data of each transaction but the last one. */
  step: number
  /** Before the content in the first transaction. */
  first: number
  /** Before the content in each other one: the header of its own meta-block, or nothing. */
  next: 0 | typeof NEXT_HEADER
}

/** Transactions of fewer data bytes would be many for one range, and the headers some percent of what is paid. */
export const LEAST_STEP = 4096
/** Fewer are read whole as fast as in part. */
export const LEAST_TRANSACTIONS = 8
/** The header of a longer meta-block has 4 bytes (RFC 7932, 9.2). */
const MOST_STEP = 2 ** 20

/**
 * WBITS 22, and the header of a metadata block of 16 bytes (RFC 7932, 9.1 and 9.2); `HOOKLEN1`, then two numbers of 4 bytes: the
 * length of the content and the step.
 */
const BEGINNING = Uint8Array.of(0x6b, 0x3d, 0, 0x48, 0x4f, 0x4f, 0x4b, 0x4c, 0x45, 0x4e, 0x31)
const NEXT_HEADER = 3
/** Bytes of the beginning in all. */
export const FIRST_HEADER = BEGINNING.length + 8 + NEXT_HEADER
/** The last byte of the stream: an empty last meta-block (RFC 7932, 9.2). */
const LAST_EMPTY = 0x03

/** How a writer lays out content in transactions of `step` data bytes; `undefined` where ranges would gain nothing. */
export function layOut(size: number, step: number): LiteralLayout | undefined {
  // In one transaction nothing has to be said: its one meta-block has a header of at most 4 bytes.
  const fits = size + 5 <= step
  if (step < LEAST_STEP || step > MOST_STEP || size >= 2 ** 32 || fits) return undefined
  return { size, step, first: FIRST_HEADER, next: NEXT_HEADER }
}

/** The layout that data begins with; `undefined` for other data. */
export function readLayout(data: Uint8Array): LiteralLayout | undefined {
  if (data.length < FIRST_HEADER || !BEGINNING.every((byte, at) => data[at] === byte)) return undefined
  const view = new DataView(data.buffer, data.byteOffset + BEGINNING.length)
  const layout = layOut(view.getUint32(0), view.getUint32(4))
  return layout && headerOf(layout, 0).every((byte, at) => data[at] === byte) ? layout : undefined
}

/** The bytes before the content in a transaction, by its index. */
export function headerOf(layout: LiteralLayout, index: number): Uint8Array {
  const { length } = partOf(layout, index)
  if (length === 0) return new Uint8Array(0)
  if (index > 0) return blockHeader(length)
  const header = new Uint8Array(FIRST_HEADER)
  header.set(BEGINNING)
  const view = new DataView(header.buffer, BEGINNING.length)
  view.setUint32(0, layout.size)
  view.setUint32(4, layout.step)
  header.set(blockHeader(length), FIRST_HEADER - NEXT_HEADER)
  return header
}

/** The header of an uncompressed meta-block of up to 1 MiB (RFC 7932, 9.2): MLEN of 4 nibbles, or of 5 where it needs them. */
function blockHeader(length: number): Uint8Array {
  const nibbles = length > 2 ** 16 ? 5 : 4
  const bits = ((nibbles - 4) << 1) | ((length - 1) << 3) | (1 << (3 + 4 * nibbles))
  return Uint8Array.of(bits & 0xff, (bits >> 8) & 0xff, (bits >> 16) & 0xff)
}

/** What a transaction holds: `length` bytes of the content from `start` on, and `total` bytes of data. */
export interface LiteralPart {
  start: number
  length: number
  total: number
}

export function partOf({ size, step, first, next }: LiteralLayout, index: number): LiteralPart {
  const header = index === 0 ? first : next
  const start = index === 0 ? 0 : step - first + (index - 1) * (step - next)
  const length = Math.max(0, Math.min(step - header, size - start))
  // Where a transaction before it ends with the content, the last one has only the end of the stream.
  return { start, length, total: length === 0 ? 1 : Math.min(step, header + length + 1) }
}

/** The index of the transaction that holds this byte of the content. */
export function indexOf({ step, first, next }: LiteralLayout, position: number): number {
  return position < step - first ? 0 : 1 + Math.floor((position - step + first) / (step - next))
}

/** The number of transactions. */
export function countOf(layout: LiteralLayout): number {
  const last = indexOf(layout, layout.size - 1)
  const { start, length, total } = partOf(layout, last)
  const header = last === 0 ? layout.first : layout.next
  return start + length === layout.size && header + length < total ? last + 1 : last + 2
}

/** The bytes of the content that are in the data of a transaction; `undefined` if the data is not what the layout says. */
export function contentOf(layout: LiteralLayout, index: number, data: Uint8Array): Uint8Array | undefined {
  const { length, total } = partOf(layout, index)
  if (data.length !== total) return undefined
  const header = length === 0 ? 0 : index === 0 ? layout.first : layout.next
  if (header + length < total && data.at(-1) !== LAST_EMPTY) return undefined
  const own = layout.next > 0 ? headerOf(layout, index) : new Uint8Array(0)
  return own.every((byte, at) => data[at] === byte) ? data.subarray(header, header + length) : undefined
}

/** The length of the stream, which is what is stored. */
export function lengthOfParts(layout: LiteralLayout): number {
  const count = countOf(layout)
  return (count - 1) * layout.step + partOf(layout, count - 1).total
}
