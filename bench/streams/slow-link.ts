import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { listen } from '../../tests/kit/loopback-server.ts'

/** As much of what waits is sent at once, so that connections share the link. */
const PIECE = 16_384

/** A line between a browser and servers: what they send comes later, and all of them share its rate. */
export interface SlowLink {
  /** A port of this machine that leads to another one. */
  to(port: number): Promise<number>
  /** Bits in each second towards the browser. */
  rate: number
  /** In ms, of what a server sends. */
  delay: number
  /** Bytes sent to the browser, with their heads. */
  sent: number
  close(): void
}

export function openSlowLink(delay: number, rate: number): SlowLink {
  const closing: (() => void)[] = []
  let free = 0
  const link: SlowLink = {
    rate,
    delay,
    sent: 0,
    async to(port) {
      const server = createServer((client) => {
        const upstream = connect(port, '127.0.0.1')
        client.setNoDelay()
        upstream.setNoDelay()
        client.pipe(upstream)
        for (const [one, other] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          // A browser cuts what it no longer needs.
          one.on('error', () => other.destroy())
          one.on('close', () => other.destroySoon())
        }
        carry(upstream, client).catch(() => client.destroy())
      })
      closing.push(() => server.close())
      return await listen(server)
    },
    close() {
      for (const close of closing) close()
    },
  }
  async function carry(from: Socket, to: Socket): Promise<void> {
    // One after the other: of two timers that are due the second may be first.
    let delivered = Promise.resolve()
    for await (const bytes of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < bytes.length; at += PIECE) {
        const piece = bytes.subarray(at, at + PIECE)
        free = Math.max(free, performance.now()) + (piece.length * 8000) / link.rate
        const sent = free
        link.sent += piece.length
        delivered = delivered.then(async () => {
          await until(sent + link.delay)
          to.write(piece)
        })
        await until(sent)
      }
      // A browser that does not read holds up the server, as with any line.
      if (to.writableNeedDrain) await new Promise((resolve) => to.once('drain', resolve).once('close', resolve))
    }
    await delivered
    to.end()
  }
  return link
}

/** Waits for a moment of the clock; a timer of 0 ms would take 1. */
async function until(moment: number): Promise<void> {
  const left = moment - performance.now()
  if (left > 0) await wait(left)
}
