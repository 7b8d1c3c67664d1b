import { createServer, request as send } from 'node:http'
import { closeServer, listen } from './loopback-server.ts'

/** A server in front of another one that keeps `Host`, and writes down what browsers ask for. */
export interface RecordingFront {
  port: number
  /** `<method> <host><path and query>`, and behind a space the body where there is one. */
  seen: string[]
  /** Every connection is refused while this is set. */
  cut: boolean
  close(): Promise<void>
}

/** Starts a front of `target` on a port of its own. */
export async function startRecordingFront(target: string): Promise<RecordingFront> {
  const { hostname, port } = new URL(target)
  const server = createServer(async (incoming, answer) => {
    if (front.cut) return void answer.destroy()
    const { method, headers, url = '/' } = incoming
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part)
    const body = Buffer.concat(parts)
    front.seen.push(`${method} ${headers.host}${url} ${body}`.trim())
    const passed = send({ hostname, port, method, path: url, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    passed.end(body)
  })
  const front: RecordingFront = { port: await listen(server), seen: [], cut: false, close: () => closeServer(server) }
  return front
}
