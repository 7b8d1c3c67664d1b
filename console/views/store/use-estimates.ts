import { useEffect, useState } from 'preact/hooks'
import type { StorageTarget } from '../../../protocol/chains.ts'
import { ApiError } from '../../api/api-error.ts'
import { api, call, type Schemas } from '../../api/client.ts'

/** What storing costs now, or why there is no price. */
export type Estimates = Partial<Record<StorageTarget, Schemas['Estimate'] | ApiError>>

/** Typing and leaving out ask once, when it is quiet for so long. */
const QUIET_MS = 300
/** Fees move; a price on the page is never older. */
const AGAIN_MS = 60_000

/** The estimates for `files` on each target, asked anew each minute. */
export function useEstimates(
  files: readonly { size: number; mimetype: string }[],
  targets: readonly { blockchain: StorageTarget }[],
): Estimates {
  const [estimates, setEstimates] = useState<Estimates>({})
  const names = targets.map(({ blockchain }) => blockchain).join()
  const key = `${files.length} ${files.reduce((sum, { size }) => sum + size, 0)}`
  useEffect(() => {
    let over = false
    const ask = () => {
      const list = files.map(({ size, mimetype }) => ({ size, mimetype }))
      for (const { blockchain } of targets) {
        call(api.POST('/v0/estimate', { body: { blockchain, files: list } })).then(
          (estimate) => over || setEstimates((now) => ({ ...now, [blockchain]: estimate })),
          (error: unknown) => {
            if (!over && error instanceof ApiError) setEstimates((now) => ({ ...now, [blockchain]: error }))
          },
        )
      }
    }
    const first = setTimeout(ask, QUIET_MS)
    const again = setInterval(ask, AGAIN_MS)
    return () => {
      over = true
      clearTimeout(first)
      clearInterval(again)
    }
  }, [names, key])
  return estimates
}
