import { HooklineError } from '../http/api-error.ts'
import type { ByteSource, ByteStream, StreamedContent } from './put-content.ts'

/**
 * Ranges of a stream: read forward while they are consecutive, and from the beginning again to go back. Concurrent
 * reads run one after another.
 * @throws {HooklineError} `content_changed` if the stream has more bytes than its size
 */
export function readStreamed({ size, stream }: StreamedContent): ByteSource {
  let open: OpenStream | undefined
  let last: Promise<unknown> = Promise.resolve()
  const read = async (start: number, end: number): Promise<Uint8Array> => {
    if (!open || open.position > start) {
      await open?.close()
      open = new OpenStream(iterate(await stream()))
    }
    await open.take(start - open.position)
    const bytes = await open.take(end - start)
    if (open.position === size && (await open.take(1)).length > 0) {
      open = undefined
      throw new HooklineError(
        'content_changed',
        `The stream has more bytes than its size, ${size}. Nothing more is sent; give the right size.`,
      )
    }
    return bytes
  }
  return {
    size,
    read(start, end) {
      const next = last.then(() => read(start, end))
      last = next.catch(() => undefined)
      return next
    },
  }
}

class OpenStream {
  /** Bytes read so far. */
  position = 0
  readonly #pieces: AsyncIterator<Uint8Array>
  #left = new Uint8Array()

  constructor(pieces: AsyncIterator<Uint8Array>) {
    this.#pieces = pieces
  }

  /** The next bytes; fewer where the stream ends. */
  async take(length: number): Promise<Uint8Array> {
    const taken = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      if (this.#left.length === 0) {
        const { done, value } = await this.#pieces.next()
        if (done) break
        this.#left = new Uint8Array(value)
      }
      const piece = this.#left.subarray(0, length - filled)
      taken.set(piece, filled)
      filled += piece.length
      this.#left = this.#left.subarray(piece.length)
    }
    this.position += filled
    return taken.subarray(0, filled)
  }

  async close(): Promise<void> {
    await this.#pieces.return?.()
  }
}

/** Uses the reader, because some streams in Safari are not iterable. */
async function* iterate(stream: ByteStream): AsyncGenerator<Uint8Array> {
  if (!('getReader' in stream)) {
    yield* stream
    return
  }
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
