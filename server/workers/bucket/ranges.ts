// After Miniflare's R2 (MIT, ../../LICENSE-miniflare).
import { BucketError } from './bucket-error.ts'
import type { RangeAsked } from './bucket-request.ts'

/** Bytes of an object. */
export interface ByteRange {
  offset: number
  length: number
}

/** The part of an object of `size` bytes that is asked for, the whole where none is. @throws {BucketError} */
export function rangeOf({ range, rangeHeader }: RangeAsked, size: number): ByteRange {
  const whole = { offset: 0, length: size }
  if (rangeHeader !== undefined) return parseHeader(rangeHeader, size) ?? whole
  if (!range) return whole
  if (range.suffix !== undefined) {
    if (range.suffix <= 0) throw new BucketError('invalidRange')
    const length = Math.min(range.suffix, size)
    return { offset: size - length, length }
  }
  const { offset = 0, length = size - offset } = range
  if (offset < 0 || offset > size || length <= 0) throw new BucketError('invalidRange')
  return { offset, length: Math.min(length, size - offset) }
}

/** A header of one range (RFC 9110, 14.1.2); of anything else the whole is sent. */
function parseHeader(header: string, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^ *bytes *= *(\d*) *- *(\d*) *$/i.exec(header) ?? []
  if (first === '') {
    const suffix = last === '' ? 0 : Number(last)
    return suffix === 0 || suffix >= size ? undefined : { offset: size - suffix, length: suffix }
  }
  const [offset, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)]
  return offset >= size || offset > end ? undefined : { offset, length: end - offset + 1 }
}
