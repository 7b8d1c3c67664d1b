import { type FetchOptions, type FetchRequest, fetchBytes } from './fetch-bytes.ts'
import { ReaderError, UnavailableError } from './reader-error.ts'
import { MAX_RETRY_AFTER, parseRetryAfter, retryDelay } from './retry-delay.ts'
import { sleep } from './sleep.ts'

/** The server's `Retry-After` is longer than the longest wait. */
class RetryLaterError extends UnavailableError {
  /** `Retry-After` in seconds. */
  readonly seconds: number

  constructor(message: string, response: Response, seconds: number) {
    super(message, response)
    this.seconds = seconds
  }
}

export interface RetryTools {
  /** Milliseconds since 1970. */
  now(): number
  /** From 0 up to 1. */
  random(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

const TOOLS: RetryTools = { now: () => Date.now(), random: () => Math.random(), sleep }

/**
 * `fetchBytes` with retries if the network or the server fails before the first byte: with exponential backoff, and never
 * before `Retry-After`. The caller's signal ends a wait at once.
 * @throws {ReaderError} of the last try; `RetryLaterError` if `Retry-After` is more than 60 s.
 */
export async function* fetchWithRetries(
  request: FetchRequest,
  options: FetchOptions,
  { now, random, sleep }: RetryTools = TOOLS,
): AsyncGenerator<Uint8Array> {
  for (let retries = 0; ; retries++) {
    let begun = false
    try {
      for await (const piece of fetchBytes(request, options)) {
        begun = true
        yield piece
      }
      return
    } catch (error) {
      options.signal?.throwIfAborted()
      const unavailable = error instanceof UnavailableError ? error : undefined
      const lost = error instanceof ReaderError && (error.code === 'network' || error.code === 'timeout')
      if (begun || (!unavailable && !lost)) throw error
      const status = unavailable?.response.status
      const retryAfter = unavailable?.response.headers.get('Retry-After') ?? null
      const delay = retryDelay({ retries, status, retryAfter, repeatable: true }, now(), random())
      if (delay === undefined) throw unavailable ? later(unavailable, now()) : error
      await sleep(delay, options.signal)
    }
  }
}

function later(error: UnavailableError, now: number): UnavailableError {
  const seconds = parseRetryAfter(error.response.headers.get('Retry-After'), now)
  if (seconds === undefined || seconds <= MAX_RETRY_AFTER) return error
  return new RetryLaterError(`${error.message} It asks for a retry in ${seconds} s.`, error.response, seconds)
}
