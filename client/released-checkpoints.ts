import type { Checkpoints } from '../reader/proof/parse-checkpoints.ts'

// The build inserts what the releaser pinned. Without a build, and in the console, it is not there.
declare const CHECKPOINTS: Checkpoints | undefined

/** The checkpoints that were compiled in, by chain. */
export function releasedCheckpoints(): Checkpoints {
  return typeof CHECKPOINTS === 'undefined' ? {} : CHECKPOINTS
}
