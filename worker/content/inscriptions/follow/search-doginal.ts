import { MAX_DOGINAL_TRANSACTIONS } from '../../../../protocol/inscriptions/content-name.ts'
import { BLOCKS_AFTER, behind, followSteps, MAX_BLOCKS } from '../../../../protocol/inscriptions/follow-doginal.ts'
import type { Transaction } from '../../../../protocol/transaction.ts'

/** A transaction of a doginal: the block that has it, and how many parts are missing behind it. */
export interface FoundPart {
  txid: string
  height: number
  missing: number
}

/** How far a doginal was searched in the blocks of a chain. */
export interface DoginalSearch {
  /** In order; the first one is that which is named. */
  parts: readonly [FoundPart, ...FoundPart[]]
  /** The height of the block that is read next: that of the last part, or one after it. */
  next: number
}

/**
 * Why a search ended: nothing is missing; the chain has no further block yet; no block that may be searched goes on; a name
 * cannot have more transactions; it is to go on later.
 */
export type SearchEnd = 'complete' | 'chain_ends' | 'not_found' | 'too_many' | 'paused'

/** What blocks are read with. */
export interface SearchedChain {
  /** The height of the best block. */
  tip: number
  /** The transactions of a block, in chain order. */
  read(height: number): Promise<readonly Transaction[]>
  /** Whether to pause before the next block. */
  isLate(): boolean
}

/** The block of the last part does not have it any more: the chain has changed. */
export class ChainChanged extends Error {
  override name = 'ChainChanged'
}

/** Why nothing is to be read; `undefined` where a block is. */
export function endOf({ parts, next }: DoginalSearch): Exclude<SearchEnd, 'chain_ends' | 'paused'> | undefined {
  const [first] = parts
  const { height, missing } = lastOf(parts)
  if (missing === 0) return 'complete'
  if (parts.length >= MAX_DOGINAL_TRANSACTIONS) return 'too_many'
  return next > height + BLOCKS_AFTER || next >= first.height + MAX_BLOCKS ? 'not_found' : undefined
}

/**
 * Goes on with a search: the next transaction is the first in chain order whose input 0 spends any output of the last one and
 * begins with the expected part, in the same block and 12 after each, 120 in all.
 * @throws {ChainChanged}
 */
export async function searchBlocks(
  begun: DoginalSearch,
  chain: SearchedChain,
): Promise<{ search: DoginalSearch; end: SearchEnd }> {
  let search = begun
  for (;;) {
    const end = endOf(search) ?? (search.next > chain.tip ? 'chain_ends' : chain.isLate() ? 'paused' : undefined)
    if (end) return { search, end }
    search = takeBlock(search, await chain.read(search.next))
  }
}

function takeBlock({ parts, next }: DoginalSearch, transactions: readonly Transaction[]): DoginalSearch {
  const { txid, height, missing } = lastOf(parts)
  const later = next === height ? behind(txid, transactions) : transactions
  if (!later) throw new ChainChanged(`Block ${height} does not have ${txid} any more.`)
  // The parts' bytes are of no use here.
  const doginal = { type: '', parts: [], missing, delegate: undefined }
  const found = [...followSteps({ doginal, txids: parts.map((part) => part.txid) }, later)].map((step) => ({
    txid: step.txids.at(-1) ?? txid,
    height: next,
    missing: step.doginal.missing,
  }))
  return { parts: [...parts, ...found], next: next + 1 }
}

/** The last part. */
export function lastOf(parts: DoginalSearch['parts']): FoundPart {
  return parts.at(-1) ?? parts[0]
}
