import { hasIndexByDefault, withIndex } from '../../../contract/content-index.ts'
import { MAX_PAID_ITEMS } from '../../../contract/limits.ts'
import { MEDIA_TYPE_LENGTH } from '../../../contract/media-type.ts'
import { type Blockchain, CHAINS, type StorageTarget } from '../../../protocol/chains.ts'
import { literalBrotliLength } from '../../../protocol/literal-brotli.ts'
import { SITE_HEADER_BYTES } from '../../../protocol/site-root.ts'
import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { payChain } from '../../platform/config/pay-chain.ts'
import { coinsJson } from '../../platform/http/coins-json.ts'
import { isIndexOffered } from '../items/merge/index-option.ts'
import { mostStoredBytes } from '../items/merge/merge-limits.ts'
import { type Price, type PricedItem, price } from './price.ts'

type Limits = Pick<Config, 'chains' | 'maxContentBytes' | 'maxDecodedBytes' | 'maxItemBytes'>

/** What storing files costs at most, in base units. */
export interface EstimatedPrice extends Price {
  /** What is added because the network relays no smaller output; of all requests together. */
  dustFee: bigint
  /** Data transactions. */
  transactions: number
}

/** UnixFS by IPIP-499: leaves of 1 MiB, 1,024 links a node. */
const LEAF_BYTES = 1 << 20
const LINKS = 1024
/** The content whose index is the longest. */
const LONGEST = { type: 'x'.repeat(MEDIA_TYPE_LENGTH), size: Number.MAX_SAFE_INTEGER }
/** A link: a CID of 36 bytes, the sizes below it (at most 10 bytes each, twice) and their field headers. */
const LINK_BYTES = 80
const NODE_BYTES = 32
/** A block of a CAR has its CID before it, and both their length (at most 4 bytes for a block of 1 MiB). */
const SECTION_BYTES = 40
/** The most that a name of 255 characters has in UTF-8. */
const NAME_BYTES = 765

/**
 * The price of files of these sizes (bytes), never less than what requests for them will ask at the same fee rate: they
 * are paid in requests of as many items as one may have, in this order, and count as if nothing could be compressed. As
 * one `directory` they are one item; `index` as for a merge. `feeRate` in base units per 1,000 vbytes. Pure.
 */
export function estimatePrice(
  sizes: readonly number[],
  target: StorageTarget,
  feeRate: bigint,
  config: Limits & Pick<Config, 'ipfs' | 'maxTxChains'>,
  { directory = false, index }: { directory?: boolean; index?: boolean | undefined } = {},
): EstimatedPrice {
  const terms = {
    feeRate,
    pricePerKib: (target === 'IPFS' ? config.ipfs : config.chains[target]).pricePerKib,
    txChains: config.maxTxChains,
    facts: CHAINS[payChain(target, config)],
  }
  const sum = { amount: 0n, networkFee: 0n, storageFee: 0n, dustFee: 0n, transactions: 0 }
  const contents = directory
    ? [largestDirectory(sizes, target, config)]
    : sizes.map((size) => largestItem(size, target, config))
  const indexed = (index ?? hasIndexByDefault(target)) && isIndexOffered(target, config)
  const largest = indexed ? contents.map((content) => withIndex(content, LONGEST)) : contents
  for (let start = 0; start < largest.length; start += MAX_PAID_ITEMS) {
    const items = largest.slice(start, start + MAX_PAID_ITEMS)
    const { amount, networkFee, storageFee } = price(items, terms)
    sum.amount += amount
    sum.networkFee += networkFee
    sum.storageFee += storageFee
    sum.dustFee += amount - networkFee - storageFee
    sum.transactions += items.reduce((count, { transactions }) => count + transactions, 0)
  }
  return sum
}

/** The most that a file of `size` bytes becomes by its merge. */
function largestItem(size: number, target: StorageTarget, config: Limits): PricedItem {
  if (target === 'IPFS') return { storedSize: size + dagOverhead(size), transactions: 0 }
  return largestContent(size, target, config)
}

/** The most that files become as one directory: on a chain a CAR (docs/formats.md). */
function largestDirectory(sizes: readonly number[], target: StorageTarget, config: Limits): PricedItem {
  const dag = sizes.reduce((sum, size) => sum + size + dagOverhead(size), 0)
  if (target === 'IPFS') return { storedSize: dag, transactions: 0 }
  // Of each file its leaves, the nodes above them, and its place in a directory or shard.
  const blocks = sizes.reduce((sum, size) => sum + 2 * Math.max(1, Math.ceil(size / LEAF_BYTES)) + 2, 0)
  return largestContent(SITE_HEADER_BYTES + dag + blocks * SECTION_BYTES, target, config)
}

function largestContent(size: number, target: Blockchain, config: Limits): PricedItem {
  const { maxDataBytes } = config.chains[target]
  const storedSize = Math.min(literalBrotliLength(size, maxDataBytes), mostStoredBytes(target, config))
  return { storedSize, transactions: Math.ceil(storedSize / maxDataBytes) }
}

/** Bytes of the nodes above the leaves, and of the file's place in a directory with its part of the shards. */
function dagOverhead(size: number): number {
  let overhead = 2 * (LINK_BYTES + NODE_BYTES) + NAME_BYTES
  for (let nodes = Math.ceil(size / LEAF_BYTES); nodes > 1; ) {
    overhead += nodes * LINK_BYTES
    nodes = Math.ceil(nodes / LINKS)
    overhead += nodes * NODE_BYTES
  }
  return overhead
}

/** An estimate as JSON text. `readAt`, when the fee rate was read, in milliseconds. */
export function estimateJson(
  { amount, networkFee, storageFee, dustFee, transactions }: EstimatedPrice,
  about: { target: StorageTarget; blockchain: Blockchain; readAt: number },
): string {
  const { target, blockchain, readAt } = about
  const facts = { blockchain: target, paidIn: blockchain, transactions, readAt: unixSeconds(readAt) }
  return coinsJson(facts, { amount, networkFee, storageFee, ...(dustFee > 0n ? { dustFee } : {}) })
}
