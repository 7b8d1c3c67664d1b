import { access, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Proven, prove } from '../../client/prove-transactions.ts'
import { BLOCKCHAINS } from '../../protocol/chains.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { openService } from '../account/open-account.ts'
import { targetName } from '../pay/target-name.ts'
import { noCheckpoint, readProofRules } from '../read/read-checkpoints.ts'
import { readName } from '../read/read-name.ts'
import { describeProven } from '../read/verify-saved.ts'
import { CommandError, usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, fetch, signal, now, keep } = context
  const name = await readName(context, line.word(0))
  if (name.kind !== 'txids' || name.path !== '') throw usageError('Only txids can be proven: give them without a path.')
  const output = line.value('output')
  if (output === undefined) throw usageError('Name the file to write with -o, such as content.hookline.')
  const path = resolve(output)
  await refuseExisting(path, line.has('force'))
  const { pinned, state } = await readProofRules(context)
  const given = line.value('chain')
  const only = given === undefined ? undefined : targetName(given)
  const chains = BLOCKCHAINS.filter((chain) => pinned[chain] && (only === undefined || chain === only))
  if (chains.length === 0) throw noCheckpoint(given ?? 'any chain')
  const { api } = await openService(context)
  keep('Nothing was written.')
  for (const blockchain of chains) {
    const checkpoint = pinned[blockchain]
    if (!checkpoint) continue
    try {
      const options = { api, fetch, signal, checkpoint, state, now: now() }
      const { proven, saved } = await prove({ blockchain, txids: name.txids }, options)
      await writeFile(path, `${JSON.stringify(saved)}\n`)
      return told(path, blockchain, proven)
    } catch (error) {
      if (!(error instanceof ReaderError && error.code === 'not_found')) throw error
    }
  }
  throw new CommandError(EXIT.refused, 'not_found', `No such mined transaction was found on ${chains.join(', ')}.`)
}

function told(file: string, blockchain: string, proven: Proven): Outcome {
  return { result: { file, blockchain, ...proven }, text: [describeProven(blockchain, proven)] }
}

async function refuseExisting(path: string, force: boolean): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  if (!exists || force) return
  throw new CommandError(EXIT.refused, 'file', `${path} exists.`, { hint: 'Replace it with --force.' })
}
