import { unixfs } from '@helia/unixfs'
import type { GuardedBlocks } from './guarded-blocks.ts'
import type { DagReader } from './read-file.ts'

/** Runs `use` with these blocks, which end with it. @throws the reason of `signal`, and the first error of the blocks */
export async function readGuarded<Result>(
  blocks: GuardedBlocks,
  expect: DagReader['expect'],
  signal: AbortSignal,
  use: (reader: DagReader) => Promise<Result>,
): Promise<Result> {
  const abort = () => blocks.fail(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    return await Promise.race([use({ blocks, fs: unixfs(blocks), expect }), blocks.failed])
  } finally {
    signal.removeEventListener('abort', abort)
    blocks.close()
  }
}
