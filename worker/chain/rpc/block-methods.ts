import { meaningOf } from '../../../protocol/node-refusals.ts'
import { inParts } from '../../platform/d1/in-parts.ts'
import { type BlockHeader, merkleRoot, readBlockHeader } from './block-header.ts'
import { NodeError, type RpcOutcome } from './rpc-transport.ts'
import { asInteger, asList, asObject, asText, callNode, resultOf, type WalletRpc } from './wallet-rpc.ts'

/** The best block as the node has it. */
export async function readBestBlock(rpc: WalletRpc): Promise<{ height: number; hash: string; syncing: boolean }> {
  const info = asObject(await callNode(rpc, 'getblockchaininfo'), 'getblockchaininfo')
  const height = asInteger(info.blocks, 'blocks')
  // `initialblockdownload` exists since Core 0.16; on older nodes, more headers than blocks mean the same.
  const behind = info.headers === undefined ? 0 : asInteger(info.headers, 'headers') - height
  const syncing = info.initialblockdownload === true || behind > 6
  return { height, hash: asText(info.bestblockhash, 'bestblockhash'), syncing }
}

/** What a node says of itself and of the network that it is in. */
export interface NodeView {
  isRegtest: boolean
  /** Other nodes that it is connected to. */
  peers: number
  headers: number
  blocks: number
  /** Of a block, Unix seconds, as its header has it. */
  blockTime: number
}

/** How a node is connected and how far it is, with the time of the block `hash`. @throws {NodeError} {@link RpcError} */
export async function readNodeView(rpc: WalletRpc, hash: string): Promise<NodeView> {
  const [chain, network, header] = await rpc([
    { method: 'getblockchaininfo', params: [] },
    { method: 'getnetworkinfo', params: [] },
    { method: 'getblockheader', params: [hash, false] },
  ])
  const info = asObject(resultOf('getblockchaininfo', chain), 'getblockchaininfo')
  const blocks = asInteger(info.blocks, 'blocks')
  return {
    isRegtest: info.chain === 'regtest',
    peers: asInteger(asObject(resultOf('getnetworkinfo', network), 'getnetworkinfo').connections, 'connections'),
    headers: info.headers === undefined ? blocks : asInteger(info.headers, 'headers'),
    blocks,
    blockTime: checkHeader(header, hash).time,
  }
}

/** Hashes of the best chain at these heights; `undefined` above its tip. */
export async function readBlockHashes(rpc: WalletRpc, heights: readonly number[]): Promise<(string | undefined)[]> {
  const outcomes = await rpc(heights.map((height) => ({ method: 'getblockhash', params: [height] })))
  return outcomes.map((outcome) =>
    'error' in outcome && meaningOf('getblockhash', outcome.error) === 'absent'
      ? undefined
      : asText(resultOf('getblockhash', outcome), 'getblockhash'),
  )
}

/** Heights of those of `hashes` that are on the node's best chain, by its own word. @throws {NodeError} {@link RpcError} */
export async function readBestHeights(rpc: WalletRpc, hashes: readonly string[]): Promise<Map<string, number>> {
  const outcomes = await rpc(hashes.map((hash) => ({ method: 'getblockheader', params: [hash, true] })))
  const heights = outcomes.map((outcome) =>
    asInteger(asObject(resultOf('getblockheader', outcome), 'getblockheader').height, 'height'),
  )
  const best = await readBlockHashes(rpc, heights)
  return new Map(hashes.flatMap((hash, index) => (best[index] === hash ? [[hash, heights[index] ?? 0]] : [])))
}

function checkHeader(outcome: RpcOutcome | undefined, hash: string): BlockHeader {
  const header = readBlockHeader(asText(resultOf('getblockheader', outcome), 'getblockheader'))
  if (header?.hash !== hash)
    throw new NodeError('invalid_response', `The node returned another header for block ${hash}.`)
  return header
}

/** Headers by hash, each hashed again here. @throws {NodeError} when one is not the block asked for. */
export async function readHeaders(rpc: WalletRpc, hashes: readonly string[]): Promise<BlockHeader[]> {
  const outcomes = await rpc(hashes.map((hash) => ({ method: 'getblockheader', params: [hash, false] })))
  return hashes.map((hash, index) => checkHeader(outcomes[index], hash))
}

/** Full blocks whose txids are in memory at once: of each some 300 KB, or 4 MB where its transactions are the smallest. */
const BLOCKS_AT_ONCE = 4

/**
 * Headers by hash with those of `wanted` that are in each block, whose list of txids is checked against its Merkle root.
 * @throws {NodeError} when the list is not the block's.
 */
export async function readBlocks(
  rpc: WalletRpc,
  hashes: readonly string[],
  wanted: ReadonlySet<string>,
): Promise<(BlockHeader & { txids: string[] })[]> {
  const blocks: (BlockHeader & { txids: string[] })[] = []
  for (const part of inParts(hashes, BLOCKS_AT_ONCE)) blocks.push(...(await readBlockBatch(rpc, part, wanted)))
  return blocks
}

async function readBlockBatch(
  rpc: WalletRpc,
  hashes: readonly string[],
  wanted: ReadonlySet<string>,
): Promise<(BlockHeader & { txids: string[] })[]> {
  // Without a verbosity every version answers with txids; Dogecoin before 1.14.7 accepts no number there.
  const calls = hashes.flatMap((hash) => [
    { method: 'getblockheader', params: [hash, false] },
    { method: 'getblock', params: [hash] },
  ])
  const outcomes = await rpc(calls)
  return hashes.map((hash, index) => {
    const header = checkHeader(outcomes[2 * index], hash)
    const block = asObject(resultOf('getblock', outcomes[2 * index + 1]), 'getblock')
    const txids = asList(block.tx, 'tx').map((txid) => asText(txid, 'txid'))
    if (!txids.every((txid) => /^[0-9a-f]{64}$/.test(txid)) || merkleRoot(txids) !== header.merkleRoot) {
      throw new NodeError('invalid_response', `The node's list of transactions is not that of block ${hash}.`)
    }
    return { ...header, txids: txids.filter((txid) => wanted.has(txid)) }
  })
}
