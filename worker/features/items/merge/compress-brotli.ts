import { Readable } from 'node:stream'
import { createBrotliCompress } from 'node:zlib'
import { mediaTypeEssence } from '../../../../contract/media-type.ts'
import { brotliParameters } from '../../../../protocol/brotli-settings.ts'

/** The encoder works on one thread with everything else: between pieces of this size others get their turn. */
const PIECE = 128 * 1024
const OUTPUT_CHUNK = 256 * 1024

/** Brotli of `content`, as a stream; `size` is its length in all. */
export function compressBrotli(
  content: AsyncIterable<Uint8Array>,
  size: number,
  mimetype: string,
  cutOff = 0,
): AsyncIterable<Uint8Array> {
  const params = brotliParameters(size, mediaTypeEssence(mimetype), cutOff)
  const encoder = createBrotliCompress({ params, chunkSize: OUTPUT_CHUNK })
  const source = Readable.from(inPieces(content))
  source.on('error', (error) => encoder.destroy(error))
  encoder.on('close', () => source.destroy())
  return source.pipe(encoder)
}

async function* inPieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of content) {
    for (let start = 0; start < part.length; start += PIECE) {
      yield part.subarray(start, start + PIECE)
      await scheduler.wait(0)
    }
  }
}
