import { fromHex } from '../../../protocol/bytes.ts'
import { meaningOf } from '../../../protocol/node-refusals.ts'
import { readStripped, TransactionError } from '../../../protocol/transaction.ts'
import { inGroups } from '../../../reader/in-groups.ts'
import { mapBounded } from '../../../reader/map-bounded.ts'
import { HEADER_BYTES, readHeader } from '../../../reader/proof/block-header.ts'
import { requestFromNodes } from '../../chain/rpc/rpc-policy.ts'
import { NodeError, postBatch, type RpcCall, type RpcOutcome } from '../../chain/rpc/rpc-transport.ts'
import { asInteger, asList, asObject, asText, RpcError, resultOf } from '../../chain/rpc/wallet-rpc.ts'
import type { RpcEndpoint } from '../../platform/config/parse-setting.ts'
import type { BlockLists } from './block-lists.ts'

/** The most blocks whose lists of txids one request reads from the node. */
export const MAX_BLOCKS = 32
/** Full blocks whose txids are read at once: of each some 300 KB, or 4 MB where its transactions are the smallest. */
const BLOCKS_AT_ONCE = 4
/** Transactions that are read at once: each is described by the node beside its hex, in some ten times its size. */
export const TRANSACTIONS_AT_ONCE = 25
/** The largest answer of a node, in bytes of JSON: a transaction under 4 MB as hex, and its witness again. */
const MAX_ANSWER = 24 << 20

/** Lists of txids that are read from the bucket at once. */
const READS_AT_ONCE = 6

/** A block of the best chain, with those of its transactions that are asked for. */
export interface MinedBlock {
  height: number
  hash: string
  /** The 80 bytes; above the checkpoint of a chain with merged mining the AuxPoW behind them. */
  header: Uint8Array
  /** All of its txids, in their order. */
  txids: string[]
  wanted: string[]
  /** The headers after it, in their order, as many as asked for or as there are. */
  following: Uint8Array[]
}

/** What a node says about the blocks of transactions; of those found, each without its witness, by txid. */
export type MinedRead =
  | { outcome: 'found'; blocks: MinedBlock[]; transactions: Map<string, Uint8Array> }
  | { outcome: 'not_mined'; txid: string }
  | { outcome: 'no_block_data'; hash: string }
  | { outcome: 'too_many_blocks' }

/** What {@link readMined} reads. */
export interface MinedOptions {
  /** Headers of each block above `pinned`, its own counted. */
  depth: number
  pinned?: number | undefined
  lists: BlockLists
}

type Call = (calls: readonly RpcCall[]) => Promise<RpcOutcome[]>

/**
 * The blocks that have these transactions, and the `depth` − 1 headers after each that is above `pinned`. Another node is asked
 * where one does not know a transaction or has deleted a block. @throws {AppError} 502, 503, 504 where no node could answer.
 */
export async function readMined(
  nodes: readonly RpcEndpoint[],
  txids: readonly string[],
  { depth, pinned = -1, lists }: MinedOptions,
): Promise<MinedRead> {
  const attempt = async (node: RpcEndpoint, signal: AbortSignal) => {
    const options = { signal, maxBytes: MAX_ANSWER, literalNumbers: true }
    const call: Call = async (calls) => (calls.length === 0 ? [] : await postBatch(node, calls, options))
    try {
      return await readFrom(call, txids, { depth, pinned, lists })
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause
      throw new NodeError('invalid_response', cause.message, { cause })
    }
  }
  let read = await requestFromNodes(nodes, attempt)
  for (const node of nodes.length > 1 ? nodes : []) {
    if (read.outcome === 'found' || read.outcome === 'too_many_blocks') break
    read = await requestFromNodes([node], attempt)
  }
  return read
}

async function readFrom(
  call: Call,
  txids: readonly string[],
  { depth, pinned = -1, lists }: MinedOptions,
): Promise<MinedRead> {
  const transactions = new Map<string, Uint8Array>()
  const byBlock = new Map<string, string[]>()
  for (const group of inGroups([...txids], TRANSACTIONS_AT_ONCE)) {
    const outcomes = await call(group.map((txid) => ({ method: 'getrawtransaction', params: [txid, true] })))
    for (const [index, txid] of group.entries()) {
      const place = readPlace(outcomes[index], txid)
      if (!place) return { outcome: 'not_mined', txid }
      transactions.set(txid, place.bytes)
      byBlock.set(place.block, [...(byBlock.get(place.block) ?? []), txid])
    }
  }
  const known = new Map(
    await mapBounded([...byBlock.keys()], READS_AT_ONCE, async (hash) => {
      return [hash, await lists.read(hash)] as const
    }),
  )
  const unknown = [...known.values()].filter((list) => list === undefined).length
  if (unknown > MAX_BLOCKS) return { outcome: 'too_many_blocks' }
  const blocks: Omit<MinedBlock, 'following'>[] = []
  for (const group of inGroups([...byBlock], BLOCKS_AT_ONCE)) {
    const outcomes = await call(group.flatMap(([hash]) => callsFor(hash, known.get(hash) !== undefined)))
    let at = 0
    for (const [hash, wanted] of group) {
      const list = known.get(hash)
      const count = callsFor(hash, list !== undefined).length
      const block = readBlock(outcomes.slice(at, at + count), hash, wanted, list)
      at += count
      if (block === 'not_mined') return { outcome: block, txid: wanted[0] ?? '' }
      if (block === 'no_block_data') return { outcome: block, hash }
      if (!list) lists.keep(hash, block.txids)
      blocks.push(block)
    }
  }
  const above = blocks.filter(({ height }) => height > pinned)
  const following = await readFollowing(call, above, depth - 1)
  const found = blocks.map((block) =>
    block.height > pinned
      ? { ...block, following: following(block.height) }
      : { ...block, header: block.header.subarray(0, HEADER_BYTES), following: [] },
  )
  return { outcome: 'found', blocks: found, transactions }
}

/** Where a transaction is; `undefined` where it waits to be mined, or is not known. @throws {NodeError} */
function readPlace(outcome: RpcOutcome | undefined, txid: string): { block: string; bytes: Uint8Array } | undefined {
  if (outcome && 'error' in outcome) {
    const meaning = meaningOf('getrawtransaction', outcome.error)
    if (meaning === 'absent') return undefined
    const failure = meaning === 'indexing' || meaning === 'no_index' ? 'not_indexed' : 'invalid_response'
    throw new NodeError(failure, `getrawtransaction failed: ${outcome.error.code} ${outcome.error.message}`)
  }
  const { blockhash, confirmations, hex } = asObject(resultOf('getrawtransaction', outcome), 'getrawtransaction')
  if (confirmations === undefined || blockhash === undefined || asInteger(confirmations, 'confirmations') < 1) {
    return undefined
  }
  return { block: asText(blockhash, 'blockhash'), bytes: strippedBytes(asText(hex, 'hex'), txid) }
}

function strippedBytes(hex: string, txid: string): Uint8Array {
  try {
    const stripped = readStripped(fromHex(hex) ?? new Uint8Array(0))
    if (stripped.txid === txid) return stripped.bytes
  } catch (cause) {
    if (!(cause instanceof TransactionError)) throw cause
  }
  throw new NodeError('invalid_response', `The node returned another transaction for ${txid}.`)
}

function callsFor(hash: string, isListed: boolean): RpcCall[] {
  return [
    { method: 'getblockheader', params: [hash, true] },
    { method: 'getblockheader', params: [hash, false] },
    // Without a verbosity every version answers with txids; Dogecoin before 1.14.7 accepts no number there.
    ...(isListed ? [] : [{ method: 'getblock', params: [hash] }]),
  ]
}

/** `list`: its txids, where they are kept. */
function readBlock(
  [described, raw, block]: (RpcOutcome | undefined)[],
  hash: string,
  wanted: string[],
  list: string[] | undefined,
) {
  const { height, confirmations } = asObject(resultOf('getblockheader', described), 'getblockheader')
  // A block that another one has replaced has -1.
  if (asInteger(confirmations, 'confirmations') < 1) return 'not_mined'
  if (block && 'error' in block && meaningOf('getblock', block.error) === 'no_block_data') return 'no_block_data'
  const txids =
    list ?? asList(asObject(resultOf('getblock', block), 'getblock').tx, 'tx').map((txid) => asText(txid, 'txid'))
  if (!txids.every((txid) => /^[0-9a-f]{64}$/.test(txid)) || !wanted.every((txid) => txids.includes(txid))) {
    throw new NodeError('invalid_response', `The node's list of transactions is not that of block ${hash}.`)
  }
  return { height: asInteger(height, 'height'), hash, header: headerBytes(raw, hash), txids, wanted }
}

function headerBytes(outcome: RpcOutcome | undefined, hash: string): Uint8Array {
  const hex = asText(resultOf('getblockheader', outcome), 'getblockheader')
  const bytes = fromHex(hex)
  if (bytes && bytes.length >= HEADER_BYTES && readHeader(bytes).hash === hash) return bytes
  throw new NodeError('invalid_response', `The node returned another header for block ${hash}.`)
}

/** The headers after blocks, by the height before them; each request has few, because all are of at most 32 blocks. */
async function readFollowing(call: Call, blocks: readonly { height: number }[], count: number) {
  const after = ({ height }: { height: number }) => Array.from({ length: count }, (_, index) => height + 1 + index)
  const heights = [...new Set(blocks.flatMap(after))]
  const outcomes = await call(heights.map((height) => ({ method: 'getblockhash', params: [height] })))
  const hashes = heights.flatMap((height, index) => {
    const outcome = outcomes[index]
    const isAbove = outcome && 'error' in outcome && meaningOf('getblockhash', outcome.error) === 'absent'
    return isAbove ? [] : [{ height, hash: asText(resultOf('getblockhash', outcome), 'getblockhash') }]
  })
  const headers = await call(hashes.map(({ hash }) => ({ method: 'getblockheader', params: [hash, false] })))
  const byHeight = new Map(hashes.map(({ height, hash }, index) => [height, headerBytes(headers[index], hash)]))
  return (height: number) => after({ height }).flatMap((next) => byHeight.get(next) ?? [])
}
