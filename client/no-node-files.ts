import type { FolderFiles, FolderOptions } from './folder/folder-files.ts'
import type { Measured } from './store/compressed-size.ts'
import type { StateStore } from './stores/state-store.ts'

/** Replaces `node-files.ts` in browsers and Workers, which have no files. */
export async function openFileStore(_folder?: string): Promise<StateStore | undefined> {
  return undefined
}

export async function filesOfFolder(_path: string, _options: FolderOptions): Promise<FolderFiles | undefined> {
  return undefined
}

/**
 * Uses gzip, because few browsers compress with Brotli. The service uses Brotli, which is never larger: what fits as
 * gzip fits there and costs no more. If it does not fit as gzip, the result is unknown.
 */
export async function compressedSize({ bytes, most }: Measured): Promise<number | undefined> {
  const pieces = bytes[Symbol.asyncIterator]()
  const source = new ReadableStream<BufferSource>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(new Uint8Array(value))
    },
    async cancel() {
      await pieces.return?.()
    },
  })
  const reader = source.pipeThrough(new CompressionStream('gzip')).getReader()
  for (let length = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return length
    length += value.length
    if (length > most) return reader.cancel().then(() => undefined)
  }
}
