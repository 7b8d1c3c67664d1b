import { hasIndexByDefault, type IndexedContent, offersIndex, withIndex } from '../../../../contract/content-index.ts'
import type { CodeOf } from '../../../../contract/error-codes.ts'
import { BLOCKCHAINS, type Blockchain, type StorageTarget } from '../../../../protocol/chains.ts'
import type { Config } from '../../../platform/config/config.ts'
import { AppError } from '../../../platform/http/errors.ts'

/** @throws {AppError} 422 where an index is requested and the target has none, with the `targets` that have. */
export function requireIndexOffered(
  target: StorageTarget,
  wanted: boolean | undefined,
  config: Pick<Config, 'chains'>,
) {
  if (!wanted || isIndexOffered(target, config)) return
  const why =
    target === 'IPFS' ? 'On IPFS the CID names the content.' : `A transaction on ${target} holds too little for one.`
  const message = `${target} has no index. ${why} Ask without \`index\`.`
  const targets = BLOCKCHAINS.filter((chain) => isIndexOffered(chain, config))
  throw new AppError(422, 'index_not_offered', message, { details: { targets } })
}

/** Whether content of several transactions on this target may have an index by the settings of now. */
export function isIndexOffered(target: StorageTarget, { chains }: Pick<Config, 'chains'>): boolean {
  return target !== 'IPFS' && offersIndex(chains[target])
}

/**
 * Whether merged content has an index if it needs several transactions: as its owner asked, else by the chain's default; or why
 * not, where it is requested and does not fit into one transaction. Pure.
 */
export function decideIndex(
  blockchain: Blockchain,
  wanted: boolean | null,
  merged: IndexedContent & { storedSize: number },
  config: Pick<Config, 'chains'>,
): boolean | { code: CodeOf<422>; message: string } {
  if (!(wanted ?? hasIndexByDefault(blockchain)) || !isIndexOffered(blockchain, config)) return false
  const { storedSize } = merged
  const { maxDataBytes } = config.chains[blockchain]
  const transactions = Math.ceil(storedSize / maxDataBytes)
  if (withIndex({ storedSize, transactions }, merged).storedSize - storedSize <= maxDataBytes) return true
  if (!wanted) return false
  const message = `The index of ${transactions} transactions is more than one transaction on ${blockchain} holds. Ask without \`index\`.`
  return { code: 'index_not_offered', message }
}
