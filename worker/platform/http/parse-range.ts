/** Bytes `start` to `end`, both included, of a body of `size` bytes. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * What a `Range` header asks of a body of `size` bytes (RFC 9110, 14.2): one range, `'unsatisfiable'` (a 416),
 * or `undefined` where the whole is sent: no header, another unit, broken syntax. Of several ranges the first
 * that can be satisfied is served.
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

/** `Content-Range` of a 206, or of a 416 when there is no range. */
export function contentRange(range: ByteRange | undefined, size: number): string {
  return range ? `bytes ${range.start}-${range.end}/${size}` : `bytes */${size}`
}
