import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api-error.ts'
import { Failed } from '../parts/failed.tsx'

/** Runs what a press asks for; its failure, to be shown beside it, stays until the next press. */
export function useAct(): readonly [act: (run: () => Promise<unknown>) => Promise<void>, failed: ComponentChildren] {
  const [error, setError] = useState<ApiError>()
  const act = async (run: () => Promise<unknown>) => {
    setError(undefined)
    try {
      await run()
    } catch (failure) {
      setError(asApiError(failure))
    }
  }
  return [act, error && <Failed error={error} />]
}
