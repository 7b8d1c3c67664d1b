import { inject } from 'vitest'
import { type Blockchain, CHAINS } from '../../protocol/chains.ts'
import { writeOpReturn } from '../../protocol/op-return.ts'
import { readModules } from '../../scripts/bundle-worker.ts'
import type {} from '../kit/bundle-once.ts'
import { runOnNodes } from '../kit/run-on-nodes.ts'
import { TestNode } from '../kit/test-node.ts'
import { startLitecoind } from './litecoind.ts'

/** The real Worker on workerd, with a real daemon in the place of every chain. */
export interface WorkerOnDaemon {
  /** Where the Worker listens. */
  base: URL
  bench: TestNode
  /** Writes bytes with the daemon's own wallet, as much in each transaction as the chain relays; returns the txids. */
  write(blockchain: Blockchain, bytes: Uint8Array): Promise<string[]>
  close(): Promise<void>
}

export async function startWorkerOnDaemon(): Promise<WorkerOnDaemon> {
  // As an operator of a Nativecoin node configures it: large data, and more than one such transaction in a chain.
  const daemon = await startLitecoind(
    '-acceptnonstdtxn=1',
    '-datacarriersize=102486',
    '-limitancestorsize=3000',
    '-limitdescendantsize=3000',
  )
  const bench = new TestNode(daemon.node)
  const worker = await runOnNodes({ modules: await readModules(inject('workerBundle')), rpc: () => daemon.url })
  return {
    base: await worker.unsafeGetDirectURL(),
    bench,
    async write(blockchain, bytes) {
      const step = CHAINS[blockchain].maxDataBytes
      const txids: string[] = []
      for (let start = 0; start < bytes.length; start += step) {
        const data = { value: 0n, script: writeOpReturn(bytes.subarray(start, start + step)) }
        const coin = await bench.coin()
        const fee = 20_000n + BigInt(step) * 2n
        txids.push(await bench.send(await bench.sign([coin], [data, { value: coin.value - fee, script: coin.script }])))
      }
      return txids
    },
    async close() {
      await worker.dispose()
      await daemon.stop()
    },
  }
}
