import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { FakeApi, targetsJson } from '../client/fake-api.ts'
import { listen } from '../kit/loopback-server.ts'

export interface Seen {
  method: string
  path: string
  host: string
  headers: IncomingMessage['headers']
  body: string
}

export interface Answer {
  status?: number
  json?: unknown
  bytes?: Uint8Array
  text?: string
  headers?: Record<string, string>
}

/** The handlers of paths; the first that matches and returns a response is used. */
export type Route = [
  method: string,
  path: RegExp,
  answer: (seen: Seen, match: RegExpExecArray) => Answer | undefined | Promise<Answer | undefined>,
]

/** What happens to the connection of a request. */
export type Fate = 'answer' | 'cut before' | 'cut after'

/**
 * The API over HTTP, as its description has it: uploads and payments by the fake of the library's tests, everything else
 * by the routes of a test.
 */
export class ApiServer {
  readonly fake = new FakeApi()
  readonly seen: Seen[] = []
  readonly routes: Route[] = []
  /** Decides about each request before it is answered. */
  fate: (seen: Seen, index: number) => Fate | Promise<Fate> = () => 'answer'
  url = ''

  /** Starts on a free port; closed when the test ends. */
  static async start(routes: Route[] = []): Promise<ApiServer> {
    const api = new ApiServer()
    api.routes.push(...routes)
    const server = createServer((request, response) => {
      api.#handle(request, response).catch((error: unknown) => {
        response.destroy()
        // Fails the run: a command goes on where such an answer is lost.
        throw error
      })
    })
    api.url = `http://127.0.0.1:${await listen(server)}`
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return api
  }

  /** The requests received: method and path. */
  get paths(): string[] {
    return this.seen.map(({ method, path }) => `${method} ${path}`)
  }

  /** The bodies of all requests of a method to a path. */
  bodies(method: string, path: string) {
    return this.seen.filter((seen) => seen.method === method && seen.path === path).map(({ body }) => JSON.parse(body))
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) if (Buffer.isBuffer(part)) parts.push(part)
    const body = Buffer.concat(parts)
    const { method = '', url = '', headers } = request
    const seen = { method, path: url, host: headers.host ?? '', headers, body: body.toString() }
    this.seen.push(seen)
    const fate = await this.fate(seen, this.seen.length)
    if (fate === 'cut before') return void request.socket.destroy()
    const answer = (await this.#fromRoutes(seen)) ?? (await this.#fromFake(seen, body))
    if (fate === 'cut after') return void request.socket.destroy()
    const bytes =
      answer.bytes ?? Buffer.from(answer.text ?? (answer.json === undefined ? '' : JSON.stringify(answer.json)))
    const type = answer.json === undefined && answer.text === undefined ? {} : { 'Content-Type': 'application/json' }
    response.writeHead(answer.status ?? 200, {
      'X-Request-Id': `request-${this.seen.length}`,
      ...type,
      ...answer.headers,
    })
    response.end(bytes)
  }

  async #fromRoutes(seen: Seen): Promise<Answer | undefined> {
    for (const [method, path, answer] of this.routes) {
      const match = seen.method === method ? path.exec(seen.path) : null
      const given = match ? await answer(seen, match) : undefined
      if (given) return given
    }
    return undefined
  }

  async #fromFake({ method, path, headers }: Seen, body: Buffer): Promise<Answer> {
    const chunk = path.includes('/chunk/')
    const init = {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length > 0 && { body: chunk ? new Uint8Array(body) : body.toString() }),
    }
    const response = await this.fake.fetch(this.url + path, init)
    return { status: response.status, text: await response.text() }
  }
}

/** `/v0/targets` with all of them, with `more` in each. */
export const targetsWith = (more: object): Route => ['GET', /^\/v0\/targets$/, () => ({ json: targetsJson(more) })]
export const TARGETS = targetsWith({})

/** What another server's fetch answers, by its status and bytes. */
export const answerBy =
  (fetch: (url: string, init: RequestInit) => Promise<Response>) =>
  async ({ method, path, body }: Seen): Promise<Answer> => {
    const response = await fetch(`http://x${path}`, method === 'POST' ? { method, body } : { method })
    return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
  }
