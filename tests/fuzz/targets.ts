import { CHAIN_TARGETS } from './chain-targets.ts'
import { IPFS_TARGETS } from './ipfs-targets.ts'
import { OTHERS_TARGETS } from './others-targets.ts'
import { REQUEST_TARGETS } from './request-targets.ts'
import { SITE_TARGETS } from './site-targets.ts'
import type { FuzzTarget } from './target.ts'

/** Everything that reads what strangers write, each with inputs of its own in `corpus/`. */
export const TARGETS: readonly FuzzTarget[] = [
  ...CHAIN_TARGETS,
  ...OTHERS_TARGETS,
  ...IPFS_TARGETS,
  ...SITE_TARGETS,
  ...REQUEST_TARGETS,
]
