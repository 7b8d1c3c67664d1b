import { isRecord } from '../../worker/platform/http/is-record.ts'

/** Cloudflare takes 1,200 requests of a user in five minutes (https://developers.cloudflare.com/fundamentals/api/reference/limits/). */
const BETWEEN_MS = 300
/** Requests that are sent without a wait where none were sent before: with those that follow in five minutes they are 1,200. */
const AT_ONCE = 200
const TRIES = 8
const FIRST_WAIT_MS = 1_000
/** After which Cloudflare takes requests again that it took none of. */
const TOO_MANY_MS = 60_000
const TIMEOUT_MS = 120_000

/** Cloudflare refused, or could not be reached; the message says what it said. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** Of the answer; 0 where there was none. */
  readonly status: number
  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Asks Cloudflare, and returns `result` of its answer. @throws {ApiError} */
export type AskApi = (method: string, path: string, body?: unknown) => Promise<unknown>

/** The clock and the wait, for tests. */
export interface Pace {
  now: () => number
  wait: (ms: number) => Promise<void>
}

/**
 * Asks Cloudflare's API with a token, one request after another and no more than it takes. What may pass is asked again.
 * @param base such as https://api.cloudflare.com/client/v4
 */
export function cloudflareApi(base: string, token: string, { now, wait }: Pace): AskApi {
  let free = now() - AT_ONCE * BETWEEN_MS
  return async (method, path, body) => {
    for (let attempt = 1; ; attempt++) {
      await wait(Math.max(0, free - now()))
      free = Math.max(free, now() - AT_ONCE * BETWEEN_MS) + BETWEEN_MS
      try {
        return await askOnce(`${base}${path}`, token, method, body)
      } catch (error) {
        const mayPass = error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)
        if (!mayPass || attempt === TRIES) throw error
        await wait(error.status === 429 ? TOO_MANY_MS : FIRST_WAIT_MS * 2 ** (attempt - 1))
      }
    }
  }
}

async function askOnce(url: string, token: string, method: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(url, { method, headers, signal, ...init }).catch((cause: unknown) => {
    throw new ApiError('Cloudflare cannot be reached from this machine.', 0, { cause })
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok && isRecord(answer) && answer.success === true) return answer.result
  throw new ApiError(reasonOf(answer) ?? `Cloudflare answered ${response.status}.`, response.status)
}

function reasonOf(answer: unknown): string | undefined {
  if (!isRecord(answer) || !Array.isArray(answer.errors)) return undefined
  const reasons = answer.errors.flatMap((error: unknown) =>
    isRecord(error) ? [`${String(error.message)} [code: ${String(error.code)}]`] : [],
  )
  return reasons.length === 0 ? undefined : reasons.join('; ')
}
