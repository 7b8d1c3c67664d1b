import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { HooklineError } from '../../client/http/api-error.ts'
import { asFailure } from '../api/failure.ts'
import { onEvent, refreshCount } from '../events/feed.ts'

/** Shorter waits show nothing. */
const SHOW_AFTER_MS = 300

export interface Loaded<Data> {
  data: Data | undefined
  /** When it was loaded, in Unix seconds. */
  readAt: number
  error: HooklineError | undefined
  /** Only after a while, to avoid flicker. */
  waiting: boolean
  reload(): void
  set(data: Data): void
}

/**
 * The result of `load`, loaded again when `keys` change and when an event requires it. The earlier result is shown
 * meanwhile, and if that fails.
 * @param follow Types of events (a prefix is enough) that make the data stale.
 */
export function useLoad<Data>(
  load: () => Promise<Data>,
  keys: readonly unknown[],
  follow: readonly string[] = [],
): Loaded<Data> {
  const [state, setState] = useState<{ data?: Data; readAt?: number; error?: HooklineError; waiting: boolean }>({
    waiting: false,
  })
  const latest = useRef(load)
  const turn = useRef(0)
  latest.current = load
  const run = useCallback((keep: boolean) => {
    const mine = ++turn.current
    if (!keep) setState({ waiting: false })
    const timer = setTimeout(
      () => mine === turn.current && setState((now) => ({ ...now, waiting: true })),
      SHOW_AFTER_MS,
    )
    return latest
      .current()
      .then(
        (data) => mine === turn.current && setState({ data, readAt: Date.now() / 1000, waiting: false }),
        (error: unknown) =>
          mine === turn.current &&
          setState((now) => ({
            ...now,
            error: asFailure(error),
            waiting: false,
          })),
      )
      .finally(() => clearTimeout(timer))
  }, [])
  useEffect(() => {
    run(false)
    return () => {
      turn.current++
    }
  }, keys)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let again = false
    // A burst of events causes one request. Events during a request cause another, since its response may be stale.
    const soon = () => {
      again = true
      timer ??= setTimeout(async () => {
        again = false
        await run(true)
        timer = undefined
        if (again) soon()
      }, 500)
    }
    const stop = onEvent(({ type }) => {
      if (follow.some((beginning) => type.startsWith(beginning))) soon()
    })
    let first = true
    const stopAsking = refreshCount.subscribe(() => {
      if (!first && follow.length > 0) run(true)
      first = false
    })
    return () => {
      again = false
      clearTimeout(timer)
      stop()
      stopAsking()
    }
  }, [follow.join()])
  const { data, readAt = 0, error, waiting } = state
  const set = (next: Data) => setState({ data: next, readAt: Date.now() / 1000, waiting: false })
  return { data, readAt, error, waiting, reload: () => void run(true), set }
}
