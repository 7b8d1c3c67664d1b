import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readChainContent } from '../../client/read-chain-content.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { targetName } from '../pay/target-name.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { transactionCache } from './transaction-cache.ts'

/** What transactions hold, each hashed to its txid here. */
export interface ChainBytes {
  blockchain: Blockchain
  bytes: Uint8Array<ArrayBuffer>
  /** Forgets the pieces that were kept in case it is cut. */
  remove: () => Promise<void>
}

/** Reads and verifies. Without --chain each chain is asked in turn: a txid is of one only. */
export async function readChain(
  { line, fetch, signal, env, output }: Context,
  api: URL,
  txids: readonly string[],
  named?: Blockchain,
): Promise<ChainBytes> {
  const given = line.value('chain')
  const only = given === undefined ? named : targetName(given)
  const chains = only === undefined ? BLOCKCHAINS : BLOCKCHAINS.filter((chain) => chain === only)
  const as = line.has('raw') ? 'stored' : 'content'
  for (const blockchain of chains) {
    const name = createHash('sha256').update(`${blockchain} ${txids.join()}`).digest('hex')
    const store = transactionCache(join(userFolders(env).cache, 'transactions', name))
    const onProgress = (done: number, total: number) => {
      if (done > 0) output.step({ step: 'reading', done, total, unit: 'transactions' })
    }
    try {
      const bytes = await readChainContent({ blockchain, txids }, { api, fetch, signal, store, as, onProgress })
      output.endStep()
      return { blockchain, bytes, remove: store.remove }
    } catch (error) {
      if (!(error instanceof ReaderError && error.code === 'not_found')) throw error
    }
  }
  throw new CommandError(
    EXIT.refused,
    'not_found',
    `There are no such transactions with data on ${only ?? 'any chain'}.`,
  )
}
