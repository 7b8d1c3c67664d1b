import { once } from 'node:events'
import type { Blockchain } from '../protocol/chains.ts'
import { createDevnet, type Devnet, type DevnetOptions } from './create-devnet.ts'
import { serveDevnet } from './server.ts'

export interface StartOptions extends DevnetOptions {
  /** 0 uses a free port. */
  port: number
  /** Milliseconds between automatic blocks while transactions wait; 0 for none. */
  blockMs: number
}

export interface RunningDevnet {
  devnet: Devnet
  port: number
  /** JSON-RPC address of a chain's node, with its user and password. */
  url(blockchain: Blockchain): string
  /** The value for MAIL_URL. */
  outboxUrl: string
  close(): Promise<void>
}

/** Starts the embedded chains on 127.0.0.1. @throws when the port is in use. */
export async function startDevnet({ port, blockMs, ...options }: StartOptions): Promise<RunningDevnet> {
  const devnet = createDevnet(options)
  const server = serveDevnet(devnet)
  // No keep-alive timeout: a client that writes at the moment of closing would lose its request.
  server.keepAliveTimeout = 0
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    devnet.close()
    throw error
  }
  const address = server.address()
  const actual = typeof address === 'object' && address ? address.port : port
  const timer = blockMs > 0 ? setInterval(() => devnet.mineWaiting(), blockMs) : undefined
  return {
    devnet,
    port: actual,
    url: (blockchain) => `http://devnet:devnet@127.0.0.1:${actual}/${blockchain}`,
    outboxUrl: `http://127.0.0.1:${actual}/outbox`,
    async close() {
      clearInterval(timer)
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      devnet.close()
    },
  }
}
