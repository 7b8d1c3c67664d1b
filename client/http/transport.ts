import { parseRetryAfter, retryDelay } from '../../reader/retry-delay.ts'
import type { sleep } from '../../reader/sleep.ts'
import type { Json } from '../types.ts'
import { ApiError, HooklineError, requestName } from './api-error.ts'
import { Fields, isRecord, parseJson } from './parse-json.ts'

/** One request to the API. */
export interface ApiRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Starts with a slash. */
  path: string
  query?: Record<string, string | number | undefined>
  /** Sent as JSON. */
  json?: object | undefined
  /** Bytes of known length. Never a stream: some runtimes send it as the text `[object ReadableStream]`. */
  bytes?: Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
  /** Makes a POST safe to repeat: the service executes it once within 24 hours. */
  idempotencyKey?: string | undefined
  /** For other requests that are safe to repeat, besides reads and POSTs with a key: an upload at its offset. */
  repeatable?: boolean
  /** Retries of this request, instead of the transport's default. */
  retries?: number | undefined
  /** `false` sends no credentials. */
  auth?: boolean
  signal?: AbortSignal | undefined
  /** Statuses besides 2xx that are returned instead of thrown. */
  accept?: readonly number[]
}

export interface ApiResponse {
  status: number
  headers: Headers
  /** The body as JSON, `undefined` if there is none. */
  body: Json | undefined
}

/** Passed to `onRequest` for each attempt; never contains credentials. */
export interface RequestLog {
  method: string
  url: string
  /** 0 if no response arrived. */
  status: number
  requestId: string | undefined
  /** Milliseconds. */
  duration: number
  /** Milliseconds until the next attempt, if there is one. */
  retryIn: number | undefined
}

/** Provides the credentials of each request. */
export interface Credentials {
  /** Value of the header `Authorization`, `undefined` for none. */
  authorization(signal: AbortSignal | undefined): Promise<string | undefined>
  /** Called after a 401. Resolves to whether there are new credentials, so that the request is worth repeating. */
  renew(signal: AbortSignal | undefined): Promise<boolean>
}

export interface TransportOptions {
  /** Origin of the API. Requests are sent to no other host, and redirects are refused. */
  api: URL
  fetch: (url: string, init: RequestInit) => Promise<Response>
  now: () => number
  random: () => number
  sleep: typeof sleep
  /** Milliseconds until a response begins. */
  timeout: number
  headers: Record<string, string>
  /** Whether secrets may be sent to another machine over plain http. Default: `false`. */
  allowHttp?: boolean
  /** Retries of requests that are safe to repeat. Default: 4. */
  retries?: number
  /** Parses JSON. Default: `parseJson`. */
  parse?: (text: string) => Json
  onRequest: ((entry: RequestLog) => void) | undefined
}

/** Size limit of a JSON response in bytes. A list of 62,500 txids is half of it. */
const MAX_ANSWER = 8 << 20
/** Milliseconds without a byte after which a response has stalled. */
const MAX_SILENCE_MS = 30_000
/** Milliseconds for a whole response. */
const MAX_ANSWER_MS = 300_000

/** Extends the time of an attempt by so many milliseconds, but never beyond MAX_ANSWER_MS in all. */
type ExtendDeadline = (ms: number) => void

/** Sends requests, retries those that are safe to repeat, and turns error responses into errors. */
export class Transport {
  readonly api: URL
  readonly #options: TransportOptions
  readonly #credentials: Credentials | undefined

  constructor(options: TransportOptions, credentials?: Credentials) {
    this.api = options.api
    this.#options = options
    this.#credentials = credentials
  }

  /**
   * The whole response. If the service asks for a proof of work, one is made.
   * @throws {ApiError | HooklineError} or the signal's reason
   */
  async send(request: ApiRequest): Promise<ApiResponse> {
    try {
      return await this.#sendAs(request)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'proof_needed')) throw error
      const { sendWithProof } = await import('./prove.ts')
      const again = (proof: Record<string, string>) =>
        this.#sendAs({ ...request, headers: { ...request.headers, ...proof } })
      return await sendWithProof(error, again, request.signal)
    }
  }

  #sendAs(request: ApiRequest): Promise<ApiResponse> {
    return this.#repeat(request, async (signal, extendDeadline) => {
      const response = await this.#fetch(request, signal)
      const body = await this.#readBody(request, response, extendDeadline)
      return { status: response.status, headers: response.headers, body }
    })
  }

  /** A response whose body is streamed. If the body stalls, reading it throws. */
  async open(request: ApiRequest): Promise<Response> {
    const { response } = await this.#repeat(request, async (signal, extendDeadline) => {
      const response = await this.#fetch(request, signal)
      const good = response.ok || request.accept?.includes(response.status)
      const body = good ? undefined : await this.#readBody(request, response, extendDeadline)
      return { status: response.status, headers: response.headers, body, response }
    })
    return response
  }

  /**
   * The JSON object in the response.
   * @internal
   */
  async fields(request: ApiRequest): Promise<Fields> {
    const { body } = await this.send(request)
    return new Fields(body, requestName(request))
  }

  async #repeat<Answer extends ApiResponse>(
    request: ApiRequest,
    attempt: (signal: AbortSignal, extendDeadline: ExtendDeadline) => Promise<Answer>,
  ): Promise<Answer> {
    const { now, random, onRequest, retries: most } = this.#options
    let renewed = false
    for (let retries = 0; ; ) {
      request.signal?.throwIfAborted()
      const began = now()
      let answer: Answer | undefined
      let failure: unknown
      try {
        answer = await this.#inTime(request, attempt)
      } catch (error) {
        // An abort by the caller is not a network error.
        request.signal?.throwIfAborted()
        if (error instanceof HooklineError && error.code !== 'timeout') throw error
        failure = error
      }
      const good = answer && (isGood(answer.status) || request.accept?.includes(answer.status))
      const log = (retryIn?: number) =>
        onRequest?.({
          method: request.method,
          url: this.#url(request).href,
          status: answer?.status ?? 0,
          requestId: answer && requestId(answer.headers),
          duration: now() - began,
          retryIn,
        })
      if (answer && good) {
        log()
        return answer
      }
      if (answer?.status === 401 && request.auth !== false && !renewed && this.#credentials) {
        renewed = true
        log(0)
        if (await this.#credentials.renew(request.signal)) continue
        throw this.#refusal(request, answer)
      }
      const retryAfter = answer?.headers.get('Retry-After') ?? null
      const repeatable = isRepeatable(request)
      const tried = { retries, status: answer?.status, retryAfter, repeatable, most: request.retries ?? most }
      const delay = retryDelay(tried, now(), random())
      log(delay)
      if (delay === undefined) throw answer ? this.#refusal(request, answer) : this.#unreachable(request, failure)
      retries++
      await this.#options.sleep(delay, request.signal)
    }
  }

  async #fetch(request: ApiRequest, signal: AbortSignal): Promise<Response> {
    const headers = new Headers({ Accept: 'application/json', ...this.#options.headers, ...request.headers })
    if (request.idempotencyKey !== undefined) headers.set('Idempotency-Key', request.idempotencyKey)
    if (request.auth !== false) {
      const authorization = await this.#credentials?.authorization(signal)
      if (authorization !== undefined) headers.set('Authorization', authorization)
    }
    if (isReadableInTransit(this.api) && !this.#options.allowHttp && (headers.has('Authorization') || request.json)) {
      const message = `${this.api.origin} is not https: anybody on the way could read what is sent. Nothing was sent.`
      throw new HooklineError('insecure_api', message)
    }
    const body = request.bytes ?? (request.json === undefined ? undefined : JSON.stringify(request.json))
    if (request.json !== undefined) headers.set('Content-Type', 'application/json')
    const { fetch } = this.#options
    const init = { method: request.method, headers, signal, ...(body !== undefined && { body }) }
    // A token must not follow a redirect to another host. workerd does not know `redirect: 'error'`.
    const response = await fetch(this.#url(request).href, { ...init, redirect: 'manual' })
    if (response.type !== 'opaqueredirect' && (response.status < 300 || response.status > 399)) return response
    const where = response.headers.get('Location')
    const message = `${this.api.origin} redirects ${requestName(request)}${where === null ? '' : ` to ${where}`}.`
    throw new HooklineError('redirected', `${message} Give the address of the API itself.`)
  }

  /** Runs one attempt. It ends when the caller aborts or the service is silent for too long. */
  async #inTime<Result>(
    request: ApiRequest,
    attempt: (signal: AbortSignal, extendDeadline: ExtendDeadline) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController()
    const stop = () => controller.abort(request.signal?.reason)
    request.signal?.addEventListener('abort', stop, { once: true })
    let timer: ReturnType<typeof setTimeout> | undefined
    const began = this.#options.now()
    const extendDeadline = (ms: number) => {
      clearTimeout(timer)
      const left = began + MAX_ANSWER_MS - this.#options.now()
      // A response that takes five minutes is not requested again: it would take as long each time.
      const [code, most] = left < ms ? ['answer_too_slow', MAX_ANSWER_MS] : ['timeout', ms]
      const message = `${requestName(request)} was not answered in ${most / 1000} s.`
      timer = setTimeout(() => controller.abort(new HooklineError(code, message)), Math.min(ms, left))
    }
    extendDeadline(this.#options.timeout)
    try {
      return await attempt(controller.signal, extendDeadline)
    } catch (error) {
      throw controller.signal.aborted ? controller.signal.reason : error
    } finally {
      clearTimeout(timer)
      request.signal?.removeEventListener('abort', stop)
    }
  }

  async #readBody(request: ApiRequest, response: Response, extendDeadline: ExtendDeadline): Promise<Json | undefined> {
    const reader = response.body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    for (let size = 0; reader; ) {
      extendDeadline(MAX_SILENCE_MS)
      const { done, value } = await reader.read()
      if (done) break
      size += value.length
      if (size > MAX_ANSWER) {
        await reader.cancel()
        throw new HooklineError('answer_too_large', `The answer to ${requestName(request)} is larger than 8 MiB.`)
      }
      text += decoder.decode(value, { stream: true })
    }
    text += decoder.decode()
    if (text === '' || !/[/+]json/i.test(response.headers.get('Content-Type') ?? '')) return undefined
    const { parse = parseJson } = this.#options
    try {
      return parse(text)
    } catch {
      return undefined
    }
  }

  #url({ path, query = {} }: ApiRequest): URL {
    const url = new URL(this.api.pathname.replace(/\/+$/, '') + path, this.api)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    return url
  }

  #unreachable(request: ApiRequest, cause: unknown): HooklineError {
    if (cause instanceof HooklineError) return cause
    const message = `${this.api.origin} could not be reached for ${requestName(request)}. Check the address and the network.`
    return new HooklineError('network', message, cause)
  }

  #refusal(request: ApiRequest, { status, headers, body }: ApiResponse): ApiError {
    const { message, code, ...details } = isRecord(body) ? body : {}
    return new ApiError({
      status,
      code: typeof code === 'string' ? code : (CODES[status] ?? 'unexpected_status'),
      message: typeof message === 'string' ? message : undefined,
      method: request.method,
      path: request.path,
      requestId: requestId(headers),
      retryAfter: parseRetryAfter(headers.get('Retry-After'), this.#options.now()),
      details,
    })
  }
}

/** Whether a third party could read what is sent there: plain http to another machine. */
function isReadableInTransit({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Error codes of responses without a body. */
const CODES: Record<number, string> = { 401: 'invalid_token', 404: 'not_found', 429: 'too_many_requests' }

function isGood(status: number): boolean {
  return status >= 200 && status < 300
}

function isRepeatable({ method, repeatable, idempotencyKey }: ApiRequest): boolean {
  return repeatable ?? (method === 'GET' || method === 'HEAD' || (method === 'POST' && idempotencyKey !== undefined))
}

function requestId(headers: Headers): string | undefined {
  return headers.get('X-Request-Id') ?? headers.get('CF-Ray') ?? undefined
}
