import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { createDevnet, type Devnet, type DevnetOptions } from '../devnet/create-devnet.ts'
import { serveDevnet } from '../devnet/server.ts'
import type { Blockchain } from '../protocol/chains.ts'
import type { WorkerModule } from '../scripts/bundle-worker.ts'
import { listen } from '../tests/kit/loopback-server.ts'
import { runOnNodes } from '../tests/kit/run-on-nodes.ts'
import { WorkerdProcess } from './workerd-process.ts'

/** The embedded chains over HTTP, with a count of the requests that reach them. */
export interface CountedDevnet {
  devnet: Devnet
  port: number
  url(blockchain: Blockchain): string
  requests(): number
  close(): Promise<void>
}

/** Starts them; each request reaches them `delayMs` late, as from a node that is so far away. */
export async function startCountedDevnet(options: DevnetOptions = {}, delayMs = 0): Promise<CountedDevnet> {
  const devnet = createDevnet(options)
  const near = serveDevnet(devnet)
  const late = () =>
    createServer((request, response) => {
      setTimeout(() => near.emit('request', request, response), delayMs)
    })
  const server = delayMs > 0 ? late() : near
  let requests = 0
  server.on('request', () => requests++)
  const port = await listen(server)
  return {
    devnet,
    port,
    url: (blockchain) => `http://devnet:devnet@127.0.0.1:${port}/${blockchain}`,
    requests: () => requests,
    async close() {
      server.close()
      server.closeAllConnections()
      devnet.close()
    },
  }
}

/** The product as deployed, in a workerd of its own, reached directly. */
export interface Product {
  miniflare: Miniflare
  port: number
  process: WorkerdProcess | undefined
  stateDir: string
  /** Stops workerd; the state stays. */
  stop(): Promise<void>
  /** Starts it again with its stored state; the isolate's memory is empty. */
  restart(): Promise<Product>
  /** Stops it and deletes the state. */
  close(): Promise<void>
}

export interface ProductOptions {
  modules: WorkerModule[]
  devnet: Pick<CountedDevnet, 'port' | 'url'>
  known?: readonly (WorkerdProcess | undefined)[]
  stateDir?: string
  variables?: Record<string, string>
  inspectorPort?: number
}

const TOKEN_JWKS = JSON.stringify({ keys: [{ kty: 'oct', k: randomBytes(32).toString('base64url') }] })

export async function startProduct(options: ProductOptions): Promise<Product> {
  const stateDir = options.stateDir ?? (await mkdtemp(join(tmpdir(), 'hookline-bench-')))
  const known = (options.known ?? []).filter((process) => process !== undefined)
  const { modules, inspectorPort } = options
  const miniflare = await runOnNodes({
    modules,
    stateDir,
    rpc: options.devnet.url,
    variables: {
      TOKEN_JWKS,
      MAIL_URL: `http://127.0.0.1:${options.devnet.port}/outbox`,
      MAIL_TOKEN: 'bench',
      MAIL_FROM: 'bench@localhost',
      ...options.variables,
    },
    ...(inspectorPort === undefined ? {} : { inspectorPort }),
  })
  const stop = () => miniflare.dispose()
  return {
    miniflare,
    port: Number((await miniflare.unsafeGetDirectURL()).port),
    process: WorkerdProcess.find(known),
    stateDir,
    stop,
    async restart() {
      await stop()
      return await startProduct({ ...options, stateDir })
    },
    async close() {
      await stop()
      await rm(stateDir, { recursive: true, force: true })
    },
  }
}
