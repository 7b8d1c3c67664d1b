import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createBrotliCompress, createBrotliDecompress } from 'node:zlib'
import { mediaTypeEssence } from '../../../../contract/media-type.ts'
import { brotliParameters } from '../../../../protocol/brotli-settings.ts'
import { EMPTY_FILE } from '../../../../protocol/empty-file.ts'
import { literalBrotli, literalBrotliLength, mostCompressed } from '../../../../protocol/literal-brotli.ts'
import { putStream } from '../../../platform/flow/put-stream.ts'
import { storedKey } from '../sql/item-objects.ts'
import { hashed } from './hashed-bytes.ts'

/** What is compressed: `read` returns its `size` bytes, and may be called twice. */
export interface Content {
  id: string
  mimetype: string
  size: number
  read(): AsyncIterable<Uint8Array>
}

/** What was stored: its length in bytes, and the SHA-256 of the content before compression, in lowercase hex. */
export interface StoredContent {
  storedSize: number
  sha256: string
}

/**
 * Compresses content into `stored/<id>`, or stores it uncompressed where that gains too little
 * ({@link mostCompressed}); `undefined` when it would pass `most` bytes. `step`: data bytes of a transaction. After tries that were `cutOff` for their
 * CPU, the effort is less. Memory is bounded for any size; what was stored has been decoded to the same bytes.
 */
export async function storeContent(
  bucket: R2Bucket,
  content: Content,
  { most, step }: { most: number; step: number },
  cutOff = 0,
): Promise<StoredContent | undefined> {
  const { id, size, mimetype } = content
  if (size === 0) {
    await bucket.put(storedKey(id), Uint8Array.of(EMPTY_FILE))
    return { storedSize: 1, sha256: createHash('sha256').digest('hex') }
  }
  const compress = (bytes: AsyncIterable<Uint8Array>) => compressBrotli(bytes, size, mimetype, cutOff)
  const compressed = await storeEncoded(bucket, content, compress, mostCompressed(size, step, most))
  if (compressed !== undefined || literalBrotliLength(size, step) > most) return compressed
  return await storeEncoded(bucket, content, (bytes) => literalBrotli(bytes, size, step), most)
}

async function storeEncoded(
  bucket: R2Bucket,
  { id, size, read }: Content,
  encode: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
  most: number,
): Promise<StoredContent | undefined> {
  const content = hashed(read())
  const encoded = checkDecoding(encode(content.bytes), content.sha256, size)
  const storedSize = await putStream(bucket, storedKey(id), encoded, most)
  return storedSize === undefined ? undefined : { storedSize, sha256: content.sha256() }
}

/** The stream unchanged, which is decoded as it passes; fails at its end unless it decodes to what `digest` says. */
async function* checkDecoding(stream: AsyncIterable<Uint8Array>, digest: () => string, size: number) {
  const decoder = createBrotliDecompress({ chunkSize: 1024 * 1024 })
  const hash = createHash('sha256')
  let length = 0
  decoder.on('data', (bytes: Uint8Array) => {
    hash.update(bytes)
    length += bytes.length
  })
  const decoded = new Promise<void>((resolve, reject) => {
    decoder.on('end', resolve)
    decoder.on('error', reject)
  })
  decoded.catch(() => {})
  try {
    for await (const bytes of stream) {
      if (!decoder.write(bytes)) await Promise.race([drained(decoder), decoded])
      yield bytes
    }
    decoder.end()
    await decoded
    if (length !== size || hash.digest('hex') !== digest())
      throw new Error('Brotli does not decode to what was encoded')
  } finally {
    decoder.destroy()
  }
}

function drained(decoder: { once(event: 'drain', listener: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => decoder.once('drain', resolve))
}

/** The encoder works on one thread with everything else: between pieces of this size others get their turn. */
const PIECE = 128 * 1024
const OUTPUT_CHUNK = 256 * 1024

/** Brotli of `content`, as a stream; `size` is its length in all. */
function compressBrotli(
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
