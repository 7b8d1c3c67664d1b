/** How several who may know an answer are asked; times in milliseconds. */
export interface HedgeOptions {
  /** Silence after which others are asked beside those that were. */
  hedgeMs: number
  /** How many others each such silence adds. */
  hedgeWidth: number
  /** How long everything may take. */
  deadlineMs: number
  /** Milliseconds after which a failed one is asked again, or `undefined` when it is not. */
  retryAfter?: (failure: unknown) => number | undefined
  /** Whether a failure is the caller's own and ends all asking. */
  isFatal?: (failure: unknown) => boolean
}

/** Nobody gave an answer. */
export class AllAttemptsFailed extends Error {
  override name = 'AllAttemptsFailed'
  /** In the order in which they came. */
  readonly failures: readonly unknown[]
  /** Whether time ran out, rather than those who could be asked. */
  readonly late: boolean

  constructor(failures: readonly unknown[], late: boolean) {
    super(late ? 'No attempt was answered in time.' : 'Every attempt failed.')
    this.failures = failures
    this.late = late
  }
}

/**
 * Asks those who may know in order, until one gives an answer: the first alone, the next at once when one fails, and
 * others beside them after a silence. `attempt` throws for an answer that it does not believe; its signal aborts when
 * the asking is over.
 * @throws {AllAttemptsFailed} when none is left or time is up; what `isFatal` says is fatal, as it was thrown.
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
