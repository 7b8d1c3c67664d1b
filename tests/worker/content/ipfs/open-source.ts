import { env } from 'cloudflare:test'
import { openBlockStore } from '../../../../worker/content/ipfs/blocks/block-store.ts'
import { openBudget } from '../../../../worker/content/ipfs/blocks/open-blocks.ts'
import { openDag } from '../../../../worker/content/ipfs/dag/dag-source.ts'

export const LIMITS = { maxWork: 2 ** 14, maxResponseBytes: 5 * 2 ** 30 }

/** The blocks in the bucket of the tests and no others, within the default limits of a request or others. */
export function openSource(limits: Partial<typeof LIMITS> = {}) {
  return openDag(openBlockStore({ bucket: env.BUCKET, gateways: [], budget: openBudget({ ...LIMITS, ...limits }) }))
}
