import { useEffect, useState } from 'preact/hooks'
import { HooklineError } from '../../../client/http/api-error.ts'
import type { StorageTarget } from '../../../protocol/chains.ts'
import { api, type Schemas } from '../../api/client.ts'
import { incompressibleSize } from '../../core/chosen-files.ts'

/** What storing costs at most; `about` where the sizes are those after compressing. */
export type PriceNow = Schemas['Estimate'] & { about: boolean }
/** What storing costs now, or why there is no price. */
export type Estimates = Partial<Record<StorageTarget, PriceNow | HooklineError>>

/** Typing and leaving out ask once, when it is quiet for so long. */
const QUIET_MS = 300
/** Fees move; a price on the page is never older. */
const AGAIN_MS = 60_000

/**
 * The estimates for `files` on each target, asked anew each minute.
 * @param stored The bytes that each file is stored in on a chain, where that is known.
 */
export function useEstimates(
  files: readonly { size: number; mimetype: string }[],
  targets: readonly { blockchain: StorageTarget }[],
  stored?: readonly number[],
): Estimates {
  const [estimates, setEstimates] = useState<Estimates>({})
  const names = targets.map(({ blockchain }) => blockchain).join()
  const key = `${files.length} ${files.reduce((sum, { size }) => sum + size, 0)} ${stored?.join()}`
  useEffect(() => {
    let over = false
    const ask = () => {
      for (const { blockchain } of targets) {
        const sizes = blockchain === 'IPFS' ? undefined : stored?.map(incompressibleSize)
        const list = files.map(({ size, mimetype }, index) => ({ size: sizes?.[index] ?? size, mimetype }))
        api.POST('/v0/estimate', { body: { blockchain, files: list } }).then(
          (estimate) =>
            over || setEstimates((now) => ({ ...now, [blockchain]: { ...estimate, about: sizes !== undefined } })),
          (error: unknown) => {
            if (!over && error instanceof HooklineError) setEstimates((now) => ({ ...now, [blockchain]: error }))
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

/** The price among an answer that may say why there is none. */
export function priceOf(estimate: PriceNow | HooklineError | undefined): PriceNow | undefined {
  return estimate && !(estimate instanceof HooklineError) ? estimate : undefined
}
