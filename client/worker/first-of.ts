import { ReaderError } from '../../reader/reader-error.ts'

/** Milliseconds before the next host is asked beside one from which nothing came. */
const PATIENCE_MS = 1000

/** What a host has answered. */
export interface Won<Result> {
  host: string
  result: Result
  /** Ends what is still being read of it. */
  abort(): void
}

/** What one host is asked with. */
export interface Attempt {
  signal: AbortSignal
  /** To be called once bytes arrive: then no other host is asked beside this one. */
  begun(): void
}

/**
 * The first result of any host, asked in order: the next one where one fails, and beside one that is silent for a second. The
 * others are aborted. What is denied is final. @throws `not_verified` if a host sent that, else the first error
 */
export function firstOf<Result>(
  hosts: readonly string[],
  outer: AbortSignal,
  run: (host: string, attempt: Attempt) => Promise<Result>,
): Promise<Won<Result>> {
  return new Promise((resolve, reject) => {
    const running = new Set<AbortController>()
    const abortAll = (but?: AbortController) => {
      for (const one of running) if (one !== but) one.abort(outer.reason)
    }
    const waiting = [...hosts]
    const failures: unknown[] = []
    let ended = false
    const end = (settle: () => void, winner?: AbortController) => {
      if (ended) return
      ended = true
      abortAll(winner)
      settle()
    }
    const askNext = () => {
      const host = ended ? undefined : waiting.shift()
      if (host === undefined) return
      const controller = new AbortController()
      running.add(controller)
      const timer = setTimeout(askNext, PATIENCE_MS)
      const begun = () => clearTimeout(timer)
      run(host, { signal: controller.signal, begun }).then(
        (result) => {
          begun()
          end(() => resolve({ host, result, abort: () => controller.abort(outer.reason) }), controller)
        },
        (error: unknown) => {
          begun()
          running.delete(controller)
          failures.push(error)
          const denied = error instanceof ReaderError && error.code === 'denied'
          if (denied) end(() => reject(error))
          else if (failures.length === hosts.length) end(() => reject(worstOf(failures)))
          else askNext()
        },
      )
    }
    outer.addEventListener('abort', () => {
      // Also what has won, and is being read.
      abortAll()
      end(() => reject(outer.reason))
    })
    if (outer.aborted) reject(outer.reason)
    else askNext()
  })
}

/** False bytes are the error to report, else the first one. */
export function worstOf(failures: readonly unknown[]): unknown {
  return failures.find((error) => error instanceof ReaderError && error.code === 'not_verified') ?? failures[0]
}
