import { Readable } from 'node:stream'
import { createBrotliCompress } from 'node:zlib'
import { brotliParameters } from '../../protocol/brotli-settings.ts'

/** Content that is compressed only to know its length. */
export interface Measured {
  /** All bytes, in order. */
  bytes: AsyncIterable<Uint8Array>
  /** How many they are. */
  size: number
  /** Media type without parameters. */
  essence: string
  /** Once the result is above so many bytes nobody asks how far. */
  most: number
}

/**
 * The bytes that content of `size` bytes becomes on a chain, compressed as the service does it; above `most` some number above
 * it. `undefined` where this runtime can't tell.
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
