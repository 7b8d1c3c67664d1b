import { hash } from 'node:crypto'
import { join } from 'node:path'
import { readChainContent, readContent } from '../../client/read-chain-content.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { targetName } from '../pay/target-name.ts'
import { CommandError, usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { NODE_SILENCE } from './call-node.ts'
import { chainNode, downloadFromNode } from './chain-node.ts'
import { transactionCache } from './transaction-cache.ts'

/** The content of transactions, each checked against its txid. */
export interface ChainBytes {
  blockchain: Blockchain
  bytes: Uint8Array<ArrayBuffer>
  /** Deletes the cached transactions. */
  remove: () => Promise<void>
}

/**
 * Reads and verifies content, from a node alone if one is configured. Without --chain each chain is queried in turn,
 * since a txid exists on one only.
 */
export async function readChain(
  context: Context,
  api: URL,
  txids: readonly string[],
  named?: Blockchain,
): Promise<ChainBytes> {
  const { line, fetch, signal, env, output } = context
  const given = line.value('chain')
  const only = given === undefined ? named : targetName(given)
  const chains = only === undefined ? BLOCKCHAINS : BLOCKCHAINS.filter((chain) => chain === only)
  const node = await chainNode(context)
  if (node && only === undefined) throw usageError('Name the chain of the node with --chain.')
  const as = line.has('raw') ? 'stored' : 'content'
  for (const blockchain of chains) {
    const name = hash('sha256', `${blockchain} ${txids.join()}`)
    const store = transactionCache(join(userFolders(env).cache, 'transactions', name))
    const onProgress = (done: number, total: number) => {
      if (done > 0) output.step({ step: 'reading', done, total, unit: 'transactions' })
    }
    try {
      const options = { store, as, onProgress } as const
      const download = node && downloadFromNode(node, { fetch, signal, silence: NODE_SILENCE })
      const bytes = download
        ? await readContent({ api: '', download }, { blockchain, txids }, options)
        : await readChainContent({ blockchain, txids }, { ...options, api, fetch, signal })
      output.endStep()
      return { blockchain, bytes, remove: store.remove }
    } catch (error) {
      if (!(error instanceof ReaderError && error.code === 'not_found')) throw error
    }
  }
  throw new CommandError(
    EXIT.refused,
    'not_found',
    `No such transaction with data was found on ${only ?? 'any chain'}.`,
  )
}
