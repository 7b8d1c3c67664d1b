import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below where systems take the ports of outgoing connections and of servers that name none: nobody gets one by chance. */
const FIRST = 20_000
const PORTS = 12_000

/** A port of this machine that is free now, for what has to know it before it starts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * PORTS)
    const server = createServer()
    try {
      // Throws where somebody has it.
      await once(server.listen(port, '127.0.0.1'), 'listening')
    } catch {
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
