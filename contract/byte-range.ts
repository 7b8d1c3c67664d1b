/** Bytes `start` to `end`, both included, of a body of `size` bytes. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * The range that a `Range` header requests of a body of `size` bytes (RFC 9110, 14.2); `'unsatisfiable'` for a 416;
 * `undefined` where the whole body is sent: without the header, with another unit, or with invalid syntax. Of several
 * ranges it is the first that can be satisfied.
 */
export function parseRange(header: string | null | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const list = /^bytes=(.+)$/i.exec(header?.trim() ?? '')?.[1]
  if (list === undefined) return undefined
  const specs = list.split(',').map((spec) => /^(\d*)-(\d*)$/.exec(spec.trim()))
  if (specs.some((spec) => spec === null || (spec[1] === '' && spec[2] === ''))) return undefined
  for (const spec of specs) {
    const [, first = '', last = ''] = spec ?? []
    if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
    const range =
      first === ''
        ? { start: Math.max(0, size - Number(last)), end: size - 1 }
        : { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
    if (range.start < size && range.start <= range.end && !(first === '' && Number(last) === 0)) return range
  }
  return 'unsatisfiable'
}

/** `Content-Range` of a 206, or without a range of a 416. */
export function contentRange(range: ByteRange | undefined, size: number): string {
  return range ? `bytes ${range.start}-${range.end}/${size}` : `bytes */${size}`
}
