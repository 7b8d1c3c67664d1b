import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { listen } from './loopback-server.ts'

/** A TCP proxy of a Worker that cuts connections after a number of bytes. */
export interface DisconnectingProxy {
  url: string
  /** Bytes that clients may still send until the connection with the last of them is cut; one cut after another. */
  cuts: number[]
  /** From now on a connection forwards so many more bytes and then nothing, like a dead line; without bytes: no limit. */
  setDeadAfter(bytes?: number): void
  /** Bytes of clients that were forwarded. */
  passed: number
  close(): Promise<void>
}

/** Starts a proxy of `target` on a port of its own. What a client sent before a cut reaches the target. */
export async function startDisconnectingProxy(target: string): Promise<DisconnectingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let deadAfter: number | undefined
  // A browser uses a connection for many requests: what it sent before the line became dead does not count.
  const sent = new Map<Socket, number>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // A cut connection is expected.
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    upstream.pipe(client)
    client.on('end', () => upstream.end())
    client.on('close', () => upstream.destroySoon())
    // A service that closes while a client still sends closes that client's connection too.
    upstream.on('close', () => client.destroySoon())
    client.on('close', () => sent.delete(client))
    client.on('data', (bytes) => {
      sent.set(client, (sent.get(client) ?? 0) + bytes.length)
      if (deadAfter !== undefined && (sent.get(client) ?? 0) > deadAfter) return void client.pause()
      const left = proxy.cuts[0] ?? Number.POSITIVE_INFINITY
      const cut = bytes.length >= left
      const through = cut ? bytes.subarray(0, left) : bytes
      proxy.passed += through.length
      if (proxy.cuts[0] !== undefined) proxy.cuts[0] -= through.length
      if (proxy.cuts[0] === 0) proxy.cuts.shift()
      if (cut) {
        upstream.end(through)
        client.destroy()
      } else if (!upstream.write(through)) {
        client.pause()
        upstream.once('drain', () => client.resume())
      }
    })
  })
  const own = await listen(server)
  const proxy: DisconnectingProxy = {
    url: `http://127.0.0.1:${own}`,
    cuts: [],
    passed: 0,
    setDeadAfter(bytes) {
      deadAfter = bytes
      sent.clear()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}
