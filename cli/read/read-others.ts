import { type OthersContent, readNamed } from '../../client/read-named.ts'
import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { targetName } from '../pay/target-name.ts'
import { CommandError, usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { noCheckpoint, readCheckpoints } from './read-checkpoints.ts'

/**
 * Reads and verifies what others wrote. Without --chain each chain is queried in turn, since a transaction is on one only. Later
 * transactions of a doginal that are not named are proven by `--checkpoint`, else that of the release.
 * @throws {CommandError} where no chain has it, or its content coding is not decoded here; {ReaderError}
 */
export async function readOthers(
  { line, fetch, signal }: Pick<Context, 'line' | 'fetch' | 'signal'>,
  api: URL,
  name: string,
): Promise<OthersContent & { blockchain: Blockchain }> {
  const given = line.value('chain')
  const only = given === undefined ? undefined : targetName(given)
  const file = line.value('checkpoint')
  const pinned = file === undefined ? undefined : await readCheckpoints(file)
  for (const blockchain of BLOCKCHAINS.filter((chain) => only === undefined || chain === only)) {
    const checkpoint = pinned?.[blockchain]
    // Otherwise that of the release would be believed in place of the file.
    if (pinned && !checkpoint && blockchain === 'Dogecoin') throw noCheckpoint(blockchain)
    try {
      const found = await readNamed({ blockchain, name }, { api, fetch, signal, checkpoint })
      if (found.encoding === undefined) return { ...found, blockchain }
      throw usageError(`Its content coding, ${JSON.stringify(found.encoding)}, is not decoded here.`)
    } catch (error) {
      if (!(error instanceof ReaderError && error.code === 'not_found')) throw error
    }
  }
  throw new CommandError(EXIT.refused, 'not_found', `There is no such content on ${only ?? 'any chain'}.`)
}
