import type { FolderFiles, FolderOptions } from './folder/folder-files.ts'
import type { Measured } from './put/compressed-size.ts'
import type { StateStore } from './stores/state-store.ts'

/** In place of `node-files.ts` where there are no files: browsers and Workers. */
export async function openFileStore(_folder?: string): Promise<StateStore | undefined> {
  return undefined
}

export async function filesOfFolder(_path: string, _options: FolderOptions): Promise<FolderFiles | undefined> {
  return undefined
}

/**
 * In place of Brotli, which few browsers compress with, gzip, which all do: what fits as gzip fits as the service stores it,
 * and costs no more. Of what does not fit nobody here can tell.
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
