import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { listen } from './loopback-server.ts'

/** A TCP proxy of a Worker that cuts connections after a number of bytes. */
export interface DisconnectingProxy {
  url: string
  /** Bytes that clients may still send until the connection with the last of them is cut; one cut after another. */
  cuts: number[]
  /** Offsets in an upload by PATCH: the connection that sends the byte before one is cut there. */
  uploadCuts: number[]
  /** The body of each PATCH, in the order of their start: the range of the upload that was forwarded. */
  parts: UploadedPart[]
  /** From now on a connection forwards so many more bytes and then nothing, like a dead line; without bytes: no limit. */
  setDeadAfter(bytes?: number): void
  /** Bytes of clients that were forwarded. */
  passed: number
  close(): Promise<void>
}

/** Of an upload the bytes from `from` up to `to`, as one request sent them. */
interface UploadedPart {
  from: number
  to: number
  /** Whether the connection was cut there. */
  cut: boolean
}

/** Starts a proxy of `target` on a port of its own. What a client sent before a cut reaches the target. */
export async function startDisconnectingProxy(target: string): Promise<DisconnectingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let deadAfter: number | undefined
  // A browser uses a connection for many requests: what it sent before the line became dead does not count.
  const sent = new Map<Socket, number>()
  const open = new Map<Socket, UploadedPart>()
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
    client.on('close', () => open.delete(client))
    client.on('data', (bytes) => {
      sent.set(client, (sent.get(client) ?? 0) + bytes.length)
      if (deadAfter !== undefined && (sent.get(client) ?? 0) > deadAfter) return void client.pause()
      const left = Math.min(proxy.cuts[0] ?? Number.POSITIVE_INFINITY, untilUploadCut(client, bytes))
      const cut = bytes.length >= left
      const through = cut ? bytes.subarray(0, left) : bytes
      proxy.passed += through.length
      countPart(client, through, cut)
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
  /** Bytes of these that may be forwarded before the next offset of `uploadCuts`. */
  function untilUploadCut(client: Socket, bytes: Buffer): number {
    const at = proxy.uploadCuts[0]
    const begun = beginningOf(bytes)
    const from = begun?.from ?? open.get(client)?.to
    if (at === undefined || from === undefined || from >= at) return Number.POSITIVE_INFINITY
    return (begun?.header ?? 0) + at - from
  }
  function countPart(client: Socket, bytes: Buffer, cut: boolean): void {
    const begun = beginningOf(bytes)
    if (begun) {
      open.delete(client)
      if (begun.from === undefined) return
      const part = { from: begun.from, to: begun.from + bytes.length - begun.header, cut: false }
      open.set(client, part)
      proxy.parts.push(part)
    } else {
      const part = open.get(client)
      if (part) part.to += bytes.length
    }
    const part = open.get(client)
    if (!part || !cut) return
    part.cut = true
    if (part.to === proxy.uploadCuts[0]) proxy.uploadCuts.shift()
  }
  const own = await listen(server)
  const proxy: DisconnectingProxy = {
    url: `http://127.0.0.1:${own}`,
    cuts: [],
    uploadCuts: [],
    parts: [],
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

/**
 * The length of the header of a request that begins with these bytes, and for a PATCH its offset in the upload. Clients
 * begin each request with a write of its own.
 */
function beginningOf(bytes: Buffer): { header: number; from: number | undefined } | undefined {
  const [, method] = /^([A-Z]+) \S+ HTTP\/1\.1\r\n/.exec(bytes.subarray(0, 200).toString('latin1')) ?? []
  if (method === undefined) return undefined
  const header = bytes.indexOf('\r\n\r\n') + 4
  const offset = /\r\nupload-offset: (\d+)\r\n/i.exec(bytes.subarray(0, header).toString('latin1'))?.[1]
  return { header, from: method === 'PATCH' && offset !== undefined ? Number(offset) : undefined }
}
