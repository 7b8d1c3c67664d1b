import { concatBytes } from '../../protocol/bytes.ts'
import type { DecodeBrotli } from './decode-content.ts'

/** Whether the runtime's `DecompressionStream` knows Brotli. */
export function hasBrotliStream(): boolean {
  try {
    return Boolean(Reflect.construct(DecompressionStream, ['brotli']))
  } catch {
    return false
  }
}

/** Decodes with the runtime's own `DecompressionStream`. */
export const decodeWithStream: DecodeBrotli = async (bytes, maxBytes) => {
  // lib.dom does not list the format yet.
  const stream: TransformStream<Uint8Array, Uint8Array> = Reflect.construct(DecompressionStream, ['brotli'])
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return concatBytes(chunks)
      chunks.push(value)
      size += value.length
      if (size > maxBytes) return 'too large'
    }
  } catch {
    return undefined
  } finally {
    reader.cancel().catch(() => {})
  }
}
