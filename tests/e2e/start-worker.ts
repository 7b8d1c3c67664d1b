import type { Miniflare } from 'miniflare'
import { inject } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { BLOCKCHAINS } from '../../protocol/chains.ts'
import { readModules } from '../../scripts/bundle-worker.ts'
import { runWorker } from '../../scripts/run-worker.ts'

/** The built Worker on workerd with an embedded chain of each kind, as `npm start` runs them; in memory only. */
export interface RunningWorker {
  /** http://127.0.0.1:<port> */
  url: string
  miniflare: Miniflare
  chains: RunningDevnet
  close(): Promise<void>
}

export interface WorkerOptions {
  /** Settings in place of the usual ones (docs/operators.md). */
  variables?: Record<string, string>
  /** Folder with what an earlier Worker left of D1, R2 and the Durable Objects; in memory without it. */
  stateDir?: string
  /** Folder with what earlier embedded chains left. */
  devnetDir?: string
}

/** Starts both on free ports. */
export async function startWorker({ variables, stateDir, devnetDir }: WorkerOptions = {}): Promise<RunningWorker> {
  const chains = await startDevnet({ port: 0, blockMs: 0, ...(devnetDir === undefined ? {} : { dataDir: devnetDir }) })
  const usual: Record<string, string> = {
    BASE_URL: 'http://127.0.0.1',
    STORAGE_HOST: 'storage.localhost',
    TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: 'A'.repeat(43) }] }),
    MAIL_URL: chains.outboxUrl,
    MAIL_TOKEN: 'devnet',
    MAIL_FROM: 'Hookline <hookline@localhost>',
  }
  for (const blockchain of BLOCKCHAINS) {
    usual[`RPC_${blockchain.toUpperCase()}`] = chains.url(blockchain)
    usual[`CONFIRMATIONS_${blockchain.toUpperCase()}`] = '1'
  }
  const modules = await readModules(inject('workerBundle'))
  const miniflare = await runWorker({
    modules,
    port: 0,
    variables: { ...usual, ...variables },
    ...(stateDir === undefined ? {} : { stateDir }),
  })
  return {
    url: (await miniflare.unsafeGetDirectURL()).origin,
    miniflare,
    chains,
    async close() {
      await miniflare.dispose()
      await chains.close()
    },
  }
}
