import { env } from 'cloudflare:test'
import { openBlockStore } from '../../../../worker/content/ipfs/blocks/block-store.ts'
import { openBudget } from '../../../../worker/content/ipfs/blocks/open-blocks.ts'
import { openDag } from '../../../../worker/content/ipfs/dag/dag-source.ts'
import { IPFS_REQUEST_LIMITS } from '../../../../worker/platform/config/fixed-limits.ts'

/** The blocks in the bucket of the tests and no others, within the limits of a request or others. */
export function openSource(limits: Partial<typeof IPFS_REQUEST_LIMITS> = {}) {
  return openDag(
    openBlockStore({ bucket: env.BUCKET, gateways: [], budget: openBudget({ ...IPFS_REQUEST_LIMITS, ...limits }) }),
  )
}
