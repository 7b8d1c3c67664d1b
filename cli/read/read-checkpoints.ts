import { readFile } from 'node:fs/promises'
import { releasedCheckpoints } from '../../client/released-checkpoints.ts'
import { type Checkpoints, parseCheckpoints } from '../../reader/proof/parse-checkpoints.ts'
import { parseRequired } from '../../reader/proof/required-state.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { type CommandError, usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'

const HOW = 'Name a file of checkpoints with --checkpoint: npm run checkpoint of the repository makes it from a node.'

/** What proofs are checked with. */
export interface PinnedRules {
  /** Of `--checkpoint`, else of the release. */
  pinned: Checkpoints
  /** How much must be proven. */
  state: string
}

/** The options of proving. @throws {CommandError} 2 */
export async function readProofRules({ line }: Pick<Context, 'line'>): Promise<PinnedRules> {
  const path = line.value('checkpoint')
  const state = line.value('state') ?? 'worked'
  if (!parseRequired(state)) throw usageError(`--state ${JSON.stringify(state)} is neither buried, nor worked 1 to 12.`)
  const pinned = path === undefined ? releasedCheckpoints() : await readCheckpoints(path)
  if (Object.keys(pinned).length > 0) return { pinned, state }
  if (path === undefined) throw usageError('This build has no checkpoint to check a proof with.', HOW)
  throw usageError(`${path} has no checkpoints.`, HOW)
}

/** What is thrown where nothing of a chain is pinned. */
export function noCheckpoint(blockchain: string): CommandError {
  return usageError(`There is no checkpoint of ${blockchain}.`, HOW)
}

/** The checkpoints in a file. @throws {CommandError} 2 */
export async function readCheckpoints(path: string): Promise<Checkpoints> {
  try {
    return parseCheckpoints(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    if (!(error instanceof ReaderError || error instanceof SyntaxError)) throw error
    throw usageError(`${path} has no checkpoints: ${error.message}`)
  }
}
