import type { CodeOf } from '../../../../contract/error-codes.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import type { Env } from '../../../platform/bindings.ts'
import { type RawSettings, readConfig } from '../../../platform/config/read-config.ts'
import type { Item } from '../sql/items.ts'
import type { MergeOutcome } from '../sql/move-items.ts'
import { explainTooLarge, mostStoredBytes } from './merge-limits.ts'
import { readChunks } from './read-chunks.ts'
import { type Content, storeContent } from './store-content.ts'

/** What a merge works with. */
export type MergeEnv = RawSettings & Pick<Env, 'DB' | 'BUCKET'>

/** {@link storeForChain} of the chunks of an upload. */
export function storeUpload(env: MergeEnv, item: Item, blockchain: Blockchain, cutOff = 0) {
  return storeForChain(env, { ...item, read: () => readChunks(env.BUCKET, item) }, blockchain, cutOff)
}

/** Stores what the transactions of a chain item will carry: its size and number, or why that chain does not take it. */
export async function storeForChain(
  env: MergeEnv,
  content: Content,
  blockchain: Blockchain,
  cutOff: number,
): Promise<MergeOutcome | { code: CodeOf<422>; message: string }> {
  const config = readConfig(env)
  const stored = await storeContent(env.BUCKET, content, mostStoredBytes(blockchain, config), cutOff)
  if (stored === undefined) return explainTooLarge(blockchain, content.size, config)
  const { maxDataBytes } = config.chains[blockchain]
  return { ...stored, transactions: Math.ceil(stored.storedSize / maxDataBytes), maxDataBytes, cid: null }
}
