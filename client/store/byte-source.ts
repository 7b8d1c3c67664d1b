import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '../../protocol/bytes.ts'
import { HooklineError } from '../http/api-error.ts'
import type { ByteSource, PutContent, StreamedContent } from './put-content.ts'

export function byteSource(content: PutContent): ByteSource {
  if (typeof content === 'string') return byteSource(new TextEncoder().encode(content))
  if (content instanceof ArrayBuffer) return byteSource(new Uint8Array(content))
  if (content instanceof Uint8Array) {
    return { size: content.length, read: async (start, end) => content.subarray(start, end) }
  }
  if (content instanceof Blob) {
    const read = async (start: number, end: number) => new Uint8Array(await content.slice(start, end).arrayBuffer())
    return { size: content.size, read }
  }
  // Programs without types may pass anything.
  if (Object(content) !== content) {
    const message = 'The content of a file is text, bytes, a Blob, or its size with a stream. Nothing was created.'
    throw new HooklineError('invalid_files', message)
  }
  return 'stream' in content ? streamedSource(content) : content
}

/** A source over a stream. It reads forward where it can and reopens the stream to go back; one read at a time. */
function streamedSource(content: StreamedContent): ByteSource {
  let streamed: Promise<ByteSource> | undefined
  return {
    size: content.size,
    async read(start, end) {
      streamed ??= import('./streamed-source.ts').then(({ readStreamed }) => readStreamed(content))
      return (await streamed).read(start, end)
    },
  }
}

/**
 * A copy of the bytes from `start` up to `end`.
 * @throws {HooklineError} if there are fewer
 */
export async function readSlice(source: ByteSource, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await source.read(start, end))
  if (bytes.length === end - start) return bytes
  throw new HooklineError('content_changed', 'The content became shorter while it was being read. Try again.')
}

/** An incremental hash; the command passes Node's, which is faster. */
export interface Hasher {
  update(bytes: Uint8Array): void
  digest(): Uint8Array
}

const PIECE = 1 << 20

/** SHA-256 of all bytes, in lowercase hex. */
export async function hashSource(
  source: ByteSource,
  options: {
    createSha256?: (() => Hasher) | undefined
    signal?: AbortSignal | undefined
    onBytes?(count: number): void
  },
): Promise<string> {
  const hasher = options.createSha256?.() ?? sha256.create()
  for (let start = 0; start < source.size; start += PIECE) {
    options.signal?.throwIfAborted()
    const bytes = await readSlice(source, start, Math.min(start + PIECE, source.size))
    hasher.update(bytes)
    options.onBytes?.(bytes.length)
  }
  return toHex(hasher.digest())
}

export async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  // Pages over plain http have no crypto.subtle.
  return crypto.subtle ? new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)) : sha256(bytes)
}

/** SHA-256 in base 64, in the form of `Content-Digest` (RFC 9530). */
export async function contentDigest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return btoa(String.fromCharCode(...(await sha256Of(bytes))))
}
