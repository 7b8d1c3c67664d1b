import type { Loaded } from '../hooks/use-load.ts'
import { Failed } from './failed.tsx'
import { WaitingRows } from './page.tsx'

/** The error of what could not be loaded, with a button, or placeholder bars until it is loaded for the first time. */
export function Reading(props: { of: Loaded<unknown>; what?: string; rows?: number; again?: () => void }) {
  const { of, what, rows, again = of.reload } = props
  return (
    <>
      {of.error && <Failed error={of.error} again={again} what={what} />}
      {of.waiting && !of.data && <WaitingRows rows={rows} />}
    </>
  )
}
