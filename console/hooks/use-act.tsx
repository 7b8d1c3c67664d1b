import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Failed } from '../parts/failed.tsx'
import { texts } from '../texts/index.ts'
import { useTask } from './use-task.ts'

/** A press must show something within 100 ms, so a slower response is announced after this time. */
const SHOW_AFTER_MS = 50

/**
 * Runs the action of a press. Returns it with what to show beside it: that it runs, or its error, which stays until the
 * next press.
 */
export function useAct(): readonly [act: (run: () => Promise<unknown>) => Promise<void>, said: ComponentChildren] {
  const { error, run } = useTask()
  const [waiting, setWaiting] = useState(false)
  const act = async (task: () => Promise<unknown>) => {
    const timer = setTimeout(() => setWaiting(true), SHOW_AFTER_MS)
    await run(task)
    clearTimeout(timer)
    setWaiting(false)
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
