import { readFile } from 'node:fs/promises'
import { type Checkpoints, parseCheckpoints } from '../../reader/proof/parse-checkpoints.ts'
import { parseRequired } from '../../reader/proof/required-state.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'

/** The checkpoints of `--checkpoint`, and how much must be proven. @throws {CommandError} 2 */
export async function readProofRules({ line }: Pick<Context, 'line'>): Promise<{ pinned: Checkpoints; state: string }> {
  const path = line.value('checkpoint')
  const state = line.value('state') ?? 'worked'
  if (path === undefined) {
    throw usageError(
      'There is no checkpoint to check the proof with.',
      'Name the file of one with --checkpoint: npm run checkpoint of the repository makes it from a node.',
    )
  }
  if (!parseRequired(state)) throw usageError(`--state ${JSON.stringify(state)} is neither buried, nor worked 1 to 12.`)
  try {
    return { pinned: parseCheckpoints(JSON.parse(await readFile(path, 'utf8'))), state }
  } catch (error) {
    if (!(error instanceof ReaderError || error instanceof SyntaxError)) throw error
    throw usageError(`${path} has no checkpoints: ${error.message}`)
  }
}
