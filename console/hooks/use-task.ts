import { useState } from 'preact/hooks'
import type { HooklineError } from '../../client/http/api-error.ts'
import { asFailure } from '../api/failure.ts'

/** One thing that a view does at a time. */
export interface Task {
  busy: boolean
  /** Of the last run, until the next one begins. */
  error: HooklineError | undefined
  /** Runs it. Resolves to whether it succeeded; never rejects. */
  run(act: () => Promise<unknown>): Promise<boolean>
}

/** A runner of one action at a time, with whether it runs and how it failed. */
export function useTask(): Task {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<HooklineError>()
  const run = async (act: () => Promise<unknown>) => {
    setBusy(true)
    setError(undefined)
    try {
      await act()
      return true
    } catch (failure) {
      setError(asFailure(failure))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { busy, error, run }
}
