import type { Miniflare } from 'miniflare'
import { inject } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { readModules } from '../../scripts/bundle-worker.ts'
import type {} from './bundle-once.ts'
import { runOnNodes } from './run-on-nodes.ts'

/** The built Worker on workerd with an embedded chain of each kind, as `npm start` runs them; in memory only. */
export interface RunningWorker {
  /** http://127.0.0.1:<port> */
  url: string
  miniflare: Miniflare
  chains: RunningDevnet
  close(): Promise<void>
}

export interface WorkerOptions {
  /** Settings in place of the usual ones (docs/operate/settings.md). */
  variables?: Record<string, string>
  /** For what has to know it before the start; a free one without it. */
  port?: number
  /** Folder with what an earlier Worker left of D1, R2 and the Durable Objects; in memory without it. */
  stateDir?: string
  /** Folder with what earlier embedded chains left. */
  devnetDir?: string
  /** Interval in ms of blocks while a transaction waits; none without it. */
  blockMs?: number
}

/** Starts both on free ports. */
export async function startWorker({
  variables,
  port,
  stateDir,
  devnetDir,
  blockMs = 0,
}: WorkerOptions = {}): Promise<RunningWorker> {
  const chains = await startDevnet({ port: 0, blockMs, ...(devnetDir === undefined ? {} : { dataDir: devnetDir }) })
  const miniflare = await runOnNodes({
    modules: await readModules(inject('workerBundle')),
    rpc: chains.url,
    variables: {
      MAIL_URL: chains.outboxUrl,
      MAIL_TOKEN: 'devnet',
      MAIL_FROM: 'Hookline <hookline@localhost>',
      CONSOLE_OUTBOX: chains.outboxUrl,
      CONSOLE_FAUCET: new URL('/faucet', chains.outboxUrl).href,
      ...variables,
    },
    ...(port === undefined ? {} : { port }),
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
