import type { SizedBody } from '../../platform/http/respond.ts'

/** The body of a stream of known size, which can be read once: all of it or a range. */
export function streamedBody(stream: ReadableStream<Uint8Array>, size: number): SizedBody {
  return {
    kind: 'file',
    size,
    async *read({ start, end }) {
      let at = 0
      for await (const bytes of stream) {
        const wanted = bytes.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at))
        at += bytes.length
        if (wanted.length > 0) yield wanted
        if (at > end) return
      }
      throw new Error(`A stream of ${size} bytes ended after ${at}.`)
    },
  }
}
