import { concatBytes, toHex } from '../../protocol/bytes.ts'
import { compactSize } from '../../protocol/transaction.ts'
import { encodeHeader, merkleLevels } from '../block.ts'
import type { Block } from '../chain.ts'
import { findBlock } from './find-block.ts'
import { type Method, type Methods, method } from './method.ts'
import { toHash } from './params.ts'
import { RPC, RpcError } from './rpc-error.ts'

/** The partial merkle tree of BIP 37 for the transactions that match: header, count, hashes and flag bits. */
function merkleProof(block: Block, matches: readonly boolean[]): Uint8Array {
  const levels = merkleLevels(block.transactions.map(({ txid }) => txid))
  const hashes: Uint8Array[] = []
  const bits: boolean[] = []
  const walk = (height: number, position: number): void => {
    const matched = matches.slice(position << height, (position + 1) << height).some(Boolean)
    bits.push(matched)
    if (height === 0 || !matched) hashes.push(levels[height]?.[position] ?? new Uint8Array(32))
    else {
      walk(height - 1, position * 2)
      if (position * 2 + 1 < (levels[height - 1]?.length ?? 0)) walk(height - 1, position * 2 + 1)
    }
  }
  walk(levels.length - 1, 0)
  const flags = new Uint8Array(Math.ceil(bits.length / 8))
  bits.forEach((bit, index) => {
    if (bit) flags[index >> 3] = (flags[index >> 3] ?? 0) | (1 << (index & 7))
  })
  const count = new Uint8Array(4)
  new DataView(count.buffer).setUint32(0, block.transactions.length, true)
  const parts = [encodeHeader(block), count, compactSize(hashes.length), ...hashes, compactSize(flags.length), flags]
  return concatBytes(parts)
}

const gettxoutproof: Method['run'] = ({ node }, params) => {
  const txids = new Set(params.list(0).map((txid) => toHash(txid, 'txid')))
  if (txids.size === 0) throw new RpcError(RPC.INVALID_PARAMETER, "Parameter 'txids' cannot be empty")
  const confirmed = [...txids].map((txid) => node.chain.confirmed.get(txid)).find((found) => found !== undefined)
  const block = params.has(1) ? findBlock(node, params.hash(1, 'blockhash')) : confirmed?.block
  if (!block) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Transaction not yet in block')
  const matches = block.transactions.map(({ txid }) => txids.has(txid))
  if (matches.filter(Boolean).length !== txids.size) {
    throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Not all transactions found in specified or retrieved block')
  }
  return toHex(merkleProof(block, matches))
}

/** RPC methods for proofs that a block contains a transaction. */
export const proofMethods: Methods = {
  gettxoutproof: method('txids blockhash?', gettxoutproof),
}
