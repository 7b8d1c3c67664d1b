import type { Miniflare } from 'miniflare'
import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import type { WorkerModule } from '../../scripts/bundle-worker.ts'
import { runWorker } from '../../scripts/run-worker.ts'

export interface NodesOptions {
  modules: WorkerModule[]
  /** JSON-RPC address of a chain's node, with its user and password. */
  rpc(blockchain: Blockchain): string
  /** Settings in place of the usual ones (docs/operate/settings.md). */
  variables?: Record<string, string>
  /** Folder with what an earlier Worker left of D1, R2 and the Durable Objects; in memory without it. */
  stateDir?: string
  /** A free one without it. */
  port?: number
  /** Opens the inspector; 0: at a free port. */
  inspectorPort?: number
}

/** The Worker on workerd on a free port, with these nodes: all tests and the bench start it so. */
export async function runOnNodes({ modules, rpc, variables, ...options }: NodesOptions): Promise<Miniflare> {
  const usual: Record<string, string> = {
    BASE_URL: 'http://127.0.0.1',
    STORAGE_HOST: 'storage.localhost',
    // Most of what is measured is large, and stored before anything is paid.
    QUOTA_FIRST_ITEMS: '1000000',
    QUOTA_FIRST_BYTES: String(2 ** 40),
    TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: 'A'.repeat(43) }] }),
  }
  for (const blockchain of BLOCKCHAINS) {
    usual[`RPC_${blockchain.toUpperCase()}`] = rpc(blockchain)
    usual[`CONFIRMATIONS_${blockchain.toUpperCase()}`] = '1'
  }
  return await runWorker({ modules, port: 0, variables: { ...usual, ...variables }, ...options })
}
