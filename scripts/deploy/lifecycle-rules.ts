import type { Config } from '../../worker/platform/config/config.ts'

/** A rule by which R2 itself removes what is old, of objects whose keys begin with `prefix`. */
export interface LifecycleRule {
  name: string
  prefix: string
  days: number
}

/**
 * The rules of the bucket that follow from the settings: for what strangers fill alone, and a day later than the Worker's
 * own job, whose index of packs goes first. Everything else in the bucket stays until the Worker removes it.
 */
export function lifecycleRules({ chain, ipfs }: Config['caches']): LifecycleRule[] {
  return [
    { name: 'hookline-chain-cache', prefix: 'chain/', days: chain.days + 2 },
    { name: 'hookline-ipfs-cache', prefix: 'ipfs/cache/', days: ipfs.days + 1 },
    { name: 'hookline-ipns-records', prefix: 'ipfs/ipns/', days: ipfs.days + 1 },
  ]
}
