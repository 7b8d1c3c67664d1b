import type { Checkpoints } from '../../reader/proof/parse-checkpoints.ts'
import type { ProofPart } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { ElementProver } from './element-prover.ts'

// The build inserts what is pinned.
declare const CHECKPOINTS: Checkpoints

export const part: ProofPart = { start: (tools) => new ElementProver(tools, CHECKPOINTS) }
providePart(part)
