import { once } from 'node:events'
import { parentPort, Worker } from 'node:worker_threads'
import { startDevnet } from '../../devnet/start-devnet.ts'
import type { Blockchain } from '../../protocol/chains.ts'

/** Milliseconds between blocks while transactions wait. */
const BLOCK_MS = 1_000

/** The embedded chains and their outbox in a separate thread, so that the rest of the bench does not slow them. */
export interface ChainsThread {
  port: number
  url(blockchain: Blockchain): string
  close(): Promise<void>
}

/** Starts the embedded chains in a thread, with automatic blocks. */
export async function startChainsThread(): Promise<ChainsThread> {
  const thread = new Worker(new URL(import.meta.url))
  const [port]: number[] = await once(thread, 'message')
  if (port === undefined) throw new Error('the embedded chains have no port')
  return {
    port,
    url: (blockchain) => `http://devnet:devnet@127.0.0.1:${port}/${blockchain}`,
    async close() {
      await thread.terminate()
    },
  }
}

if (parentPort) parentPort.postMessage((await startDevnet({ port: 0, blockMs: BLOCK_MS })).port)
