import { Readable } from 'node:stream'
import { createBrotliCompress } from 'node:zlib'
import { brotliParameters } from '../../protocol/brotli-settings.ts'

/** Content that is compressed only to learn its compressed size. */
export interface Measured {
  /** All bytes, in order. */
  bytes: AsyncIterable<Uint8Array>
  /** Size of the content in bytes. */
  size: number
  /** Media type without parameters. */
  essence: string
  /** Above this result the exact size does not matter. */
  most: number
}

/**
 * The size in bytes that content of `size` bytes has on a chain, compressed as the service does it; any larger number
 * if it is above `most`. `undefined` if this runtime cannot compute it.
 */
export async function compressedSize({ bytes, size, essence, most }: Measured): Promise<number | undefined> {
  const encoder = createBrotliCompress({ params: brotliParameters(size, essence) })
  const source = Readable.from(bytes)
  source.on('error', (error) => encoder.destroy(error))
  encoder.on('close', () => source.destroy())
  let length = 0
  for await (const { length: more } of source.pipe(encoder)) {
    length += more
    if (length > most) break
  }
  return length
}
