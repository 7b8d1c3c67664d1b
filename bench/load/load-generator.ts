import { Worker } from 'node:worker_threads'

/** The target of the load. */
export interface Target {
  port: number
  /** The request as sent on the connection. */
  bytes: Uint8Array
  status: number
}

/** One round: each target receives its request repeatedly, in alternating slices. */
export interface Duel {
  kind: 'duel'
  targets: Target[]
  connections: number
  slices: number
  sliceMs: number
}

export interface LoadOutcome {
  requests: number
  seconds: number
}

/** An outcome for each target. */
export interface DuelOutcome {
  outcomes: LoadOutcome[]
}

/** A request in the terms of `node:http`. */
export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers: Record<string, string>
  body?: string | Uint8Array
}

/** Different requests, each sent once, or repeatedly for `forMs`. */
export interface Sequence {
  kind: 'sequence'
  port: number
  requests: HttpRequest[]
  concurrency: number
  forMs?: number
}

export interface SequenceOutcome {
  timings: { ms: number; status: number; bytes: number; serverTiming: string }[]
  /** From the first request to the last response. */
  ms: number
}

export type ThreadJob = Duel | Sequence
export type ThreadAnswer = { id: number; outcome: DuelOutcome | SequenceOutcome } | { id: number; problem: string }

/** Sends HTTP load from a separate thread. */
export class LoadGenerator {
  readonly #thread = new Worker(new URL('load-thread.ts', import.meta.url))
  readonly #waiting = new Map<number, (answer: ThreadAnswer) => void>()
  #next = 0

  constructor() {
    this.#thread.on('message', (answer: ThreadAnswer) => {
      this.#waiting.get(answer.id)?.(answer)
      this.#waiting.delete(answer.id)
    })
  }

  async duel(job: Omit<Duel, 'kind'>): Promise<LoadOutcome[]> {
    const outcome = await this.#run({ kind: 'duel', ...job })
    if (!('outcomes' in outcome)) throw new Error('a duel returned the outcome of a sequence')
    return outcome.outcomes
  }

  /** @throws unless every answer is `status`. */
  async sequence(job: Omit<Sequence, 'kind'>, status = 200): Promise<SequenceOutcome> {
    const outcome = await this.#run({ kind: 'sequence', ...job })
    if (!('timings' in outcome)) throw new Error('a sequence returned the outcome of a duel')
    const wrong = outcome.timings.find((timing) => timing.status !== status)
    if (wrong) throw new Error(`expected ${status}, got ${wrong.status} after ${wrong.ms.toFixed(1)} ms`)
    return outcome
  }

  #run(job: ThreadJob): Promise<DuelOutcome | SequenceOutcome> {
    const id = this.#next++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (answer) => {
        if ('problem' in answer) reject(new Error(answer.problem))
        else resolve(answer.outcome)
      })
      this.#thread.postMessage({ id, job })
    })
  }

  async close(): Promise<void> {
    await this.#thread.terminate()
  }
}

/** A request as bytes, with the length of its body. */
export function requestBytes({ method, path, headers, body = '' }: HttpRequest): Uint8Array {
  const content = Buffer.from(body)
  const fields = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = method === 'GET' ? '' : `Content-Length: ${content.length}\r\n`
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields.join('')}${length}\r\n`, 'latin1'),
    content,
  ])
}
