import { readFile } from 'node:fs/promises'
import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import type { Checkpoint } from '../../reader/proof/checkpoint.ts'
import { type Checkpoints, parseCheckpoints } from '../../reader/proof/parse-checkpoints.ts'
import { writeWhole } from '../write-whole.ts'

/** Adds the checkpoint of a chain to a file of several, in the order of the chains. */
export async function addCheckpoint(path: string, blockchain: Blockchain, checkpoint: Checkpoint): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => '{}')
  const all: Checkpoints = { ...parseCheckpoints(JSON.parse(text)), [blockchain]: checkpoint }
  const ordered = BLOCKCHAINS.flatMap((chain) => (all[chain] ? [[chain, all[chain]] as const] : []))
  await writeWhole(path, `${JSON.stringify(Object.fromEntries(ordered), undefined, 2)}\n`)
}
