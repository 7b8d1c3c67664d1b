/** What happened to a request, as far as trying again depends on it. */
export interface FailedTry {
  /** 0 where no answer came. */
  status: number
  /** Seconds that the answer asked for. */
  retryAfter: number | undefined
  /** Tries that failed one after another, this one included: of a 401 those with a 401, else the others. */
  failures: number
}

export type Decision = { kind: 'again'; afterMs: number } | { kind: 'renew' } | { kind: 'stop' }

const DELAYS_MS = [1_000, 3_000, 5_000, 10_000, 20_000, 30_000]
const AGAIN = new Set([0, 408, 409, 423, 425, 429])

/**
 * Whether a part of an upload is sent again: without end while there may be a way, at most 30 s apart, and never
 * after a refusal that stays one (402, 403, 413 and the like).
 */
export function decideRetry({ status, retryAfter, failures }: FailedTry): Decision {
  // A token can end between two parts; a second 401 in a row is an answer.
  if (status === 401) return failures <= 1 ? { kind: 'renew' } : { kind: 'stop' }
  if (!AGAIN.has(status) && status < 500) return { kind: 'stop' }
  const delay = DELAYS_MS[Math.min(failures, DELAYS_MS.length) - 1] ?? 1_000
  return { kind: 'again', afterMs: retryAfter === undefined ? delay : Math.min(retryAfter * 1000, 120_000) }
}
