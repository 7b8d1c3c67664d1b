import { Readable } from 'node:stream'
import { constants, createBrotliCompress } from 'node:zlib'
import { mediaTypeEssence } from '../../../../contract/media-type.ts'
import { BEST_QUALITY_BYTES, WINDOW_BITS } from '../../../../protocol/brotli-settings.ts'

/** The encoder works on one thread with everything else: between pieces of this size others get their turn. */
const PIECE = 128 * 1024
const OUTPUT_CHUNK = 256 * 1024

/** Qualities after tries that were cut off: a tenth of the time, then a hundredth. */
const QUALITIES = [5, 1]

/** Encoder settings for content of `size` bytes of a media type (docs/behaviour/items.md). */
export function brotliParameters(size: number, mimetype: string, cutOff = 0): Record<number, number> {
  const best = size <= BEST_QUALITY_BYTES ? 11 : 9
  return {
    [constants.BROTLI_PARAM_QUALITY]: QUALITIES[Math.min(cutOff, QUALITIES.length) - 1] ?? best,
    [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
    [constants.BROTLI_PARAM_MODE]: brotliMode(mediaTypeEssence(mimetype)),
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  }
}

/** Brotli of `content`, as a stream; `size` is its length in all. */
export function compressBrotli(
  content: AsyncIterable<Uint8Array>,
  size: number,
  mimetype: string,
  cutOff = 0,
): AsyncIterable<Uint8Array> {
  const encoder = createBrotliCompress({ params: brotliParameters(size, mimetype, cutOff), chunkSize: OUTPUT_CHUNK })
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

function brotliMode(essence: string): number {
  if (/^(font\/|application\/(x-)?font-)/.test(essence)) return constants.BROTLI_MODE_FONT
  const isText = essence.startsWith('text/') || /[/+](json|xml|javascript|ecmascript|yaml)$/.test(essence)
  return isText ? constants.BROTLI_MODE_TEXT : constants.BROTLI_MODE_GENERIC
}
