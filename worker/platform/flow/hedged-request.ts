/** How several sources are requested; times in milliseconds. */
export interface HedgeOptions {
  /** Time without an answer after which more sources are requested in parallel. */
  hedgeMs: number
  /** How many sources are added each time. */
  hedgeWidth: number
  /** The timeout of all attempts together. */
  deadlineMs: number
  /** Milliseconds after which a failed source is requested again; `undefined` where it is not. */
  retryAfter?: (failure: unknown) => number | undefined
  /** Whether a failure is the caller's own and ends all attempts. */
  isFatal?: (failure: unknown) => boolean
}

/** No source sent a usable answer. */
export class AllAttemptsFailed extends Error {
  override name = 'AllAttemptsFailed'
  /** In the order in which they occurred. */
  readonly failures: readonly unknown[]
  /** Whether the timeout was reached, rather than all sources having failed. */
  readonly late: boolean

  constructor(failures: readonly unknown[], late: boolean) {
    super(late ? 'No attempt was answered in time.' : 'Every attempt failed.')
    this.failures = failures
    this.late = late
  }
}

/**
 * The first usable answer of any source. Requests them in order: the first alone, the next when one fails, and more in
 * parallel after a time without an answer. `attempt` throws for an invalid answer; its signal aborts when another
 * source has answered.
 * @throws {AllAttemptsFailed} when all have failed or at the timeout; a failure for which `isFatal` returns true.
 */
export async function hedgedRequest<Source, Answer>(
  sources: readonly Source[],
  attempt: (source: Source, signal: AbortSignal) => Promise<Answer>,
  { hedgeMs, hedgeWidth, deadlineMs, retryAfter = () => undefined, isFatal = () => false }: HedgeOptions,
): Promise<Answer> {
  const waiting = [...sources]
  const failures: unknown[] = []
  const over = new AbortController()
  return await new Promise<Answer>((resolve, reject) => {
    let running = 0
    const finish = (settle: () => void): void => {
      if (over.signal.aborted) return
      clearTimeout(deadline)
      clearTimeout(hedge)
      settle()
      over.abort()
    }
    const startNext = (): void => {
      const source = waiting.shift()
      if (source === undefined || over.signal.aborted) return
      running++
      attempt(source, over.signal).then(
        (answer) => finish(() => resolve(answer)),
        (failure: unknown) => {
          running--
          if (over.signal.aborted) return
          if (isFatal(failure)) return finish(() => reject(failure))
          failures.push(failure)
          const pause = retryAfter(failure)
          if (pause !== undefined) {
            waiting.push(source)
            setTimeout(startNext, pause)
          } else if (waiting.length > 0) startNext()
          else if (running === 0) finish(() => reject(new AllAttemptsFailed(failures, false)))
        },
      )
    }
    const deadline = setTimeout(() => finish(() => reject(new AllAttemptsFailed(failures, true))), deadlineMs)
    const addOthers = (): void => {
      for (let added = 0; added < hedgeWidth && waiting.length > 0; added++) startNext()
      hedge = setTimeout(addOthers, hedgeMs)
    }
    let hedge = setTimeout(addOthers, hedgeMs)
    if (waiting.length === 0) finish(() => reject(new AllAttemptsFailed([], false)))
    startNext()
  })
}
