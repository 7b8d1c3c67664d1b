import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { HooklineError } from '../../client/http/api-error.ts'
import { asFailure } from '../api/failure.ts'
import { Failed } from '../parts/failed.tsx'

/** Runs what a press asks for; its failure, to be shown beside it, stays until the next press. */
export function useAct(): readonly [act: (run: () => Promise<unknown>) => Promise<void>, failed: ComponentChildren] {
  const [error, setError] = useState<HooklineError>()
  const act = async (run: () => Promise<unknown>) => {
    setError(undefined)
    try {
      await run()
    } catch (failure) {
      setError(asFailure(failure))
    }
  }
  return [act, error && <Failed error={error} />]
}
