import { encodeHeader } from '../block.ts'
import type { Block } from '../chain.ts'
import type { Node } from '../node.ts'
import type { Json } from './exact-json.ts'
import { RPC, RpcError } from './rpc-error.ts'

/** A block by its hash, on the best chain or off it. @throws {RpcError} -5 */
export function findBlock(node: Node, hash: string, message = 'Block not found'): Block {
  const block = node.chain.blocks.get(hash)
  if (!block) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, message)
  return block
}

/** What a block's hash must not exceed at regtest's difficulty. */
export const REGTEST_TARGET = `7fffff${'0'.repeat(58)}`

/** The common part of getblockheader and getblock. */
export function describeHeader(node: Node, block: Block): { [key: string]: Json | undefined } {
  const { chain } = node
  return {
    hash: block.hash,
    confirmations: chain.confirmations(block),
    height: block.height,
    version: block.version,
    versionHex: block.version.toString(16).padStart(8, '0'),
    merkleroot: block.merkleRoot,
    time: block.time,
    mediantime: chain.medianTime(block),
    nonce: block.nonce,
    bits: block.bits.toString(16),
    target: node.settings.dialect === 'core' ? REGTEST_TARGET : undefined,
    difficulty: 4.656542373906925e-10,
    chainwork: chainWork(block.height),
    nTx: block.transactions.length,
    previousblockhash: block.height > 0 ? block.previous : undefined,
    nextblockhash: chain.isActive(block) ? chain.active[block.height + 1]?.hash : undefined,
  }
}

/** At regtest's difficulty a block is two hashes of work. */
export function chainWork(height: number): string {
  return (2 * (height + 1)).toString(16).padStart(64, '0')
}

/** Header and, with the transactions, whole size. */
export function blockSizes(block: Block): { size: number; strippedsize: number; weight: number } {
  const count = block.transactions.length
  const base = encodeHeader(block).length + (count < 0xfd ? 1 : count <= 0xffff ? 3 : 5)
  let size = base
  let strippedsize = base
  for (const transaction of block.transactions) {
    size += transaction.raw.length
    strippedsize += transaction.strippedSize
  }
  return { size, strippedsize, weight: strippedsize * 3 + size }
}
