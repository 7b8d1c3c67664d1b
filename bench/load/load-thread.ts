import { once } from 'node:events'
import { Agent, request as sendHttp } from 'node:http'
import { connect, type Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'
import type {
  Duel,
  DuelOutcome,
  LoadOutcome,
  Sequence,
  SequenceOutcome,
  Target,
  ThreadAnswer,
  ThreadJob,
} from './load-generator.ts'
import { ResponseReader } from './response-reader.ts'

// The thread of load-generator.ts, separate so that the rest of the bench does not slow the load.

const RECEIVE_BYTES = 512 * 1024
/** How long the last responses of a slice may take. */
const PATIENCE_MS = 60_000

/** Persistent connections to one port that each send one prebuilt request repeatedly, one at a time. */
class Connections {
  readonly #target: Target
  readonly #request: Buffer
  #sockets: Socket[] = []
  #sending = false
  #underWay = 0
  #answered = 0
  #drained: (() => void) | undefined
  #failed: ((error: Error) => void) | undefined

  constructor(target: Target) {
    this.#target = target
    this.#request = Buffer.from(target.bytes)
  }

  /**
   * Opens connections until there are `count`. workerd closes one on which nothing came for 15 seconds, which may pass while
   * the others have their slices, and Node says nothing of a request that is sent on it.
   */
  async open(count: number): Promise<void> {
    const { port, status } = this.#target
    this.#sockets = this.#sockets.filter((socket) => !socket.destroyed)
    while (this.#sockets.length < count) {
      const reader = new ResponseReader(status)
      const buffer = Buffer.allocUnsafe(RECEIVE_BYTES)
      const socket = connect({
        port,
        host: '127.0.0.1',
        noDelay: true,
        onread: {
          buffer,
          callback: (length) => {
            try {
              this.#count(socket, reader.read(buffer.subarray(0, length)))
            } catch (error) {
              this.#fail(error)
            }
            return true
          },
        },
      })
      socket.on('error', (error) => this.#fail(error))
      socket.on('close', () => this.#fail(new Error('the server closed a connection')))
      this.#sockets.push(socket)
      await once(socket, 'connect')
    }
  }

  /** Sends for `ms` milliseconds, then waits for the open requests. */
  async run(ms: number): Promise<LoadOutcome> {
    const started = performance.now()
    this.#answered = 0
    this.#sending = true
    let patience: NodeJS.Timeout | undefined
    await new Promise<void>((resolve, reject) => {
      this.#drained = resolve
      this.#failed = reject
      for (const socket of this.#sockets) this.#send(socket)
      setTimeout(() => {
        this.#sending = false
      }, ms)
      const late = () => reject(new Error(`${this.#underWay} responses of port ${this.#target.port} did not end`))
      patience = setTimeout(late, ms + PATIENCE_MS)
    }).finally(() => clearTimeout(patience))
    return { requests: this.#answered, seconds: (performance.now() - started) / 1000 }
  }

  close(): void {
    this.#failed = undefined
    for (const socket of this.#sockets) socket.destroy()
  }

  #send(socket: Socket): void {
    this.#underWay++
    socket.write(this.#request)
  }

  #count(socket: Socket, ended: number): void {
    if (ended === 0) return
    this.#answered += ended
    this.#underWay -= ended
    if (this.#sending) this.#send(socket)
    else if (this.#underWay === 0) this.#drained?.()
  }

  #fail(error: unknown): void {
    this.#failed?.(error instanceof Error ? error : new Error(String(error)))
  }
}

/** Sends to each target in turn, in short slices, so that other load on this machine slows all of them alike. */
async function sendDuel({ targets, connections, slices, sliceMs }: Duel): Promise<DuelOutcome> {
  const sides = targets.map((target) => new Connections(target))
  const outcomes: LoadOutcome[] = targets.map(() => ({ requests: 0, seconds: 0 }))
  try {
    for (let slice = 0; slice < slices; slice++) {
      for (const [index, side] of sides.entries()) {
        await side.open(connections)
        const { requests, seconds } = await side.run(sliceMs)
        const sum = outcomes[index]
        if (sum) outcomes[index] = { requests: sum.requests + requests, seconds: sum.seconds + seconds }
      }
    }
  } finally {
    for (const side of sides) side.close()
  }
  return { outcomes }
}

/** Sends requests one after another, or a few at a time, and times each to its last byte. */
async function sendSequence({ port, requests, concurrency, forMs }: Sequence): Promise<SequenceOutcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const timings: SequenceOutcome['timings'] = []
  let next = 0
  const started = performance.now()
  const isOver = () => (forMs === undefined ? next >= requests.length : performance.now() - started >= forMs)
  const sendInTurn = async (): Promise<void> => {
    while (!isOver()) {
      const index = next++
      const toSend = requests[index % requests.length]
      if (toSend) timings[index] = await sendOne(agent, port, toSend)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, sendInTurn))
  const ms = performance.now() - started
  agent.destroy()
  return { timings, ms }
}

function sendOne(agent: Agent, port: number, toSend: Sequence['requests'][number]) {
  return new Promise<SequenceOutcome['timings'][number]>((resolve, reject) => {
    const started = performance.now()
    const { method, path, headers, body } = toSend
    const sent = sendHttp({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
      let bytes = 0
      response.on('data', (part: Buffer) => {
        bytes += part.length
      })
      response.on('error', reject)
      response.on('end', () => {
        const serverTiming = String(response.headers['server-timing'] ?? '')
        resolve({ ms: performance.now() - started, status: response.statusCode ?? 0, bytes, serverTiming })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

parentPort?.on('message', async ({ id, job }: { id: number; job: ThreadJob }) => {
  let answer: ThreadAnswer
  try {
    const outcome = job.kind === 'duel' ? await sendDuel(job) : await sendSequence(job)
    answer = { id, outcome }
  } catch (error) {
    answer = { id, problem: error instanceof Error ? error.message : String(error) }
  }
  parentPort?.postMessage(answer)
})
