import type { IndexedContent } from '../../../../contract/content-index.ts'
import type { CodeOf } from '../../../../contract/error-codes.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import type { Env } from '../../../platform/bindings.ts'
import { type RawSettings, readConfig } from '../../../platform/config/read-config.ts'
import { indexedContent } from '../indexed-content.ts'
import type { Item } from '../sql/items.ts'
import type { MergeOutcome } from '../sql/move-items.ts'
import { decideIndex } from './index-option.ts'
import { explainTooLarge, mostStoredBytes } from './merge-limits.ts'
import { readChunks } from './read-chunks.ts'
import { type Content, type StoredContent, storeContent } from './store-content.ts'

/** What a merge works with. */
export type MergeEnv = RawSettings & Pick<Env, 'DB' | 'BUCKET'>

/** {@link storeForChain} of the chunks of an upload. */
export function storeUpload(env: MergeEnv, item: Item, blockchain: Blockchain, cutOff = 0) {
  const content = { ...item, ...indexedContent(item), read: () => readChunks(env.BUCKET, item) }
  return storeForChain(env, content, blockchain, cutOff)
}

/**
 * Stores what the transactions of a chain item will carry: its size and number, or why that chain cannot store it. `type` is
 * the media type that an index would name, `indexed` whether one was requested.
 */
export async function storeForChain(
  env: MergeEnv,
  content: Content & Pick<Item, 'indexed'> & IndexedContent,
  blockchain: Blockchain,
  cutOff: number,
): Promise<(MergeOutcome & StoredContent) | { code: CodeOf<422>; message: string }> {
  const config = readConfig(env)
  const { maxDataBytes } = config.chains[blockchain]
  const limits = { most: mostStoredBytes(blockchain, config), step: maxDataBytes }
  const stored = await storeContent(env.BUCKET, content, limits, cutOff)
  if (stored === undefined) return explainTooLarge(blockchain, content.size, config)
  const indexed = decideIndex(blockchain, content.indexed, { ...content, ...stored }, config)
  if (typeof indexed !== 'boolean') return indexed
  return { ...stored, transactions: Math.ceil(stored.storedSize / maxDataBytes), maxDataBytes, cid: null, indexed }
}
