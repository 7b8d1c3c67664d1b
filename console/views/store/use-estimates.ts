import { useEffect, useState } from 'preact/hooks'
import { HooklineError } from '../../../client/http/api-error.ts'
import type { StorageTarget } from '../../../protocol/chains.ts'
import { api, type Schemas } from '../../api/client.ts'

/** The highest price; `about` if the sizes are compressed ones. */
export type PriceNow = Schemas['Estimate'] & { about: boolean }
/** The current price, or why there is none. */
export type Estimates = Partial<Record<StorageTarget, PriceNow | HooklineError>>

/** Milliseconds without a change before an estimate is requested. */
const QUIET_MS = 300
/** Fees change, so a displayed price is never older than this. */
const AGAIN_MS = 60_000

/** The request of one estimate; `about` if the sizes are compressed ones. */
export interface Asked {
  blockchain: StorageTarget
  files: readonly { size: number; mimetype: string }[]
  about: boolean
}

/** The estimates of the requests, updated each minute. */
export function useEstimates(asked: readonly Asked[]): Estimates {
  const [estimates, setEstimates] = useState<Estimates>({})
  const key = asked
    .map(({ blockchain, files, about }) => `${blockchain} ${about} ${files.map(({ size }) => size).join()}`)
    .join(' ')
  useEffect(() => {
    let over = false
    const ask = () => {
      for (const { blockchain, files, about } of asked) {
        const list = files.map(({ size, mimetype }) => ({ size, mimetype }))
        api.POST('/v0/estimate', { body: { blockchain, files: list } }).then(
          (estimate) => over || setEstimates((now) => ({ ...now, [blockchain]: { ...estimate, about } })),
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
  }, [key])
  return estimates
}

/** The price, if there is one. */
export function priceOf(estimate: PriceNow | HooklineError | undefined): PriceNow | undefined {
  return estimate && !(estimate instanceof HooklineError) ? estimate : undefined
}
