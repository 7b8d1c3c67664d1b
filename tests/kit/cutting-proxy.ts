import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy of TCP before a Worker, which breaks connections after as many bytes as a test says. */
export interface CuttingProxy {
  url: string
  /** Bytes that clients may still send before the connection that sends the last of them is cut; one cut after another. */
  cuts: number[]
  /** From now on a connection lets so many more bytes through and then nothing, as a line that is dead; without bytes no more. */
  setDeadAfter(bytes?: number): void
  /** Bytes that clients have sent and that went on. */
  passed: number
  close(): Promise<void>
}

/** Starts a proxy of its own port before `target`. What a client sent before a cut reaches the target. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let deadAfter: number | undefined
  // A browser uses a connection for many requests: what it sent before the line became dead does not count.
  const sent = new Map<Socket, number>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // A connection that is cut is what this is for.
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    upstream.pipe(client)
    client.on('end', () => upstream.end())
    client.on('close', () => upstream.destroySoon())
    client.on('close', () => sent.delete(client))
    client.on('data', (bytes) => {
      sent.set(client, (sent.get(client) ?? 0) + bytes.length)
      if (deadAfter !== undefined && (sent.get(client) ?? 0) > deadAfter) return void client.pause()
      const left = proxy.cuts[0]
      const cut = left !== undefined && bytes.length >= left
      const through = cut ? bytes.subarray(0, left) : bytes
      proxy.passed += through.length
      if (left !== undefined) proxy.cuts[0] = left - through.length
      if (cut) proxy.cuts.shift()
      if (cut) {
        upstream.end(through)
        client.destroy()
      } else if (!upstream.write(through)) {
        client.pause()
        upstream.once('drain', () => client.resume())
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${address.port}`,
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
