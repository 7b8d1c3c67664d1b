import { readFile, stat } from 'node:fs/promises'
import { type Proven, verifySavedProof } from '../../client/prove-transactions.ts'
import { parseSavedProof } from '../../client/saved-proof.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { noCheckpoint, readProofRules } from './read-checkpoints.ts'

/** The most bytes of a saved proof: 64 MiB of transactions in hex, and what proves them. */
const MAX_BYTES = 256 << 20

/** What a state means, for people. */
export function describeProven(blockchain: string, { state, depth }: Proven): string {
  return state === 'buried'
    ? `buried ${depth}: in the pinned chain of ${blockchain}, ${depth} blocks deep at the checkpoint`
    : `${state} ${depth}: ${depth} linked headers of ${blockchain} have work at the difficulty of the checkpoint`
}

/** Checks a file that `hookline prove` wrote, without a network. @throws {CommandError} 2; {@link ReaderError} `not_proven` */
export async function verifySaved(context: Context, path: string): Promise<Outcome> {
  const { pinned, state } = await readProofRules(context)
  if ((await stat(path)).size > MAX_BYTES) throw usageError(`${path} is larger than a saved proof can be.`)
  const saved = parseSavedProof(parseJson(await readFile(path, 'utf8')))
  const { blockchain, txids } = saved
  const checkpoint = pinned[blockchain]
  if (!checkpoint) throw noCheckpoint(blockchain)
  const proven = verifySavedProof(saved, { checkpoint, state, now: context.now() })
  return { result: { file: path, blockchain, txids, ...proven }, text: [describeProven(blockchain, proven)] }
}

function parseJson(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch (cause) {
    throw new ReaderError('not_proven', 'The file is no saved proof.', cause)
  }
}
