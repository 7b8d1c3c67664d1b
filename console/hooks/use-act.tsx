import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { HooklineError } from '../../client/http/api-error.ts'
import { asFailure } from '../api/failure.ts'
import { Failed } from '../parts/failed.tsx'
import { texts } from '../texts/index.ts'

/** An answer that takes longer is said to be waited for; a press has done something within 100 ms. */
const SHOW_AFTER_MS = 50

/**
 * Runs what a press asks for. What stands beside it: that an answer is waited for, and the failure, which stays until the
 * next press.
 */
export function useAct(): readonly [act: (run: () => Promise<unknown>) => Promise<void>, said: ComponentChildren] {
  const [error, setError] = useState<HooklineError>()
  const [waiting, setWaiting] = useState(false)
  const act = async (run: () => Promise<unknown>) => {
    setError(undefined)
    const timer = setTimeout(() => setWaiting(true), SHOW_AFTER_MS)
    try {
      await run()
    } catch (failure) {
      setError(asFailure(failure))
    } finally {
      clearTimeout(timer)
      setWaiting(false)
    }
  }
  const said = waiting ? (
    <p class="quiet small" role="status">
      {texts.common.asking}
    </p>
  ) : (
    error && <Failed error={error} />
  )
  return [act, said]
}
