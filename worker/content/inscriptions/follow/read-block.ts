import { meaningOf } from '../../../../protocol/node-refusals.ts'
import { readBlock } from '../../../../protocol/read-block.ts'
import { type Transaction, TransactionError } from '../../../../protocol/transaction.ts'
import { HEADER_BYTES, readHeader } from '../../../../reader/proof/block-header.ts'
import { readBlockHashes } from '../../../chain/rpc/block-methods.ts'
import { requestFromNodes } from '../../../chain/rpc/rpc-policy.ts'
import { NodeError, postBatch } from '../../../chain/rpc/rpc-transport.ts'
import { RpcError } from '../../../chain/rpc/wallet-rpc.ts'
import type { RpcEndpoint } from '../../../platform/config/parse-setting.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { ChainChanged } from './search-doginal.ts'

/** Heights whose hashes are asked for at once: a block, and those after it that are searched. */
const HASHES_AT_ONCE = 13
const MAX_HASHES = 64 << 10
/** A block of 1 MB, which is the most that Dogecoin has, is 2 MB of hex; an AuxPoW has some KB. */
const MAX_BLOCK = 3 << 20

/**
 * A function that reads whole blocks of one chain by height, in rising order, up to `tip`: each follows the one before.
 * @throws {ChainChanged}; {AppError} 502, 503, 504
 */
export function blockReader(
  nodes: readonly RpcEndpoint[],
  tip: number,
): (height: number) => Promise<readonly Transaction[]> {
  const hashes = new Map<number, string>()
  const hashOf = async (height: number): Promise<string> => {
    if (!hashes.has(height)) {
      const count = Math.min(HASHES_AT_ONCE, tip - height + 1)
      const heights = Array.from({ length: count }, (_, index) => height + index)
      const found = await readHashes(nodes, heights)
      for (const [index, hash] of found.entries()) if (hash !== undefined) hashes.set(height + index, hash)
    }
    const hash = hashes.get(height)
    if (hash === undefined) throw new ChainChanged(`There is no block ${height} any more.`)
    return hash
  }
  return async (height) => {
    const before = hashes.get(height - 1)
    const hash = await hashOf(height)
    const raw = await readRaw(nodes, hash)
    if (before !== undefined && readHeader(raw).previous !== before) {
      throw new ChainChanged(`Block ${hash} does not follow ${before}.`)
    }
    return transactionsIn(raw, hash)
  }
}

async function readHashes(nodes: readonly RpcEndpoint[], heights: readonly number[]) {
  return await requestFromNodes(nodes, async (node, signal) => {
    try {
      const options = { signal, maxBytes: MAX_HASHES }
      return await readBlockHashes((calls) => postBatch(node, calls, options), heights)
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause
      throw new NodeError('invalid_response', cause.message, { cause })
    }
  })
}

async function readRaw(nodes: readonly RpcEndpoint[], hash: string): Promise<Uint8Array> {
  return await requestFromNodes(nodes, async (node, signal) => {
    // Dogecoin before 1.14.7 takes no number for the verbosity.
    const call = { method: 'getblock', params: [hash, false] }
    const [outcome] = await postBatch(node, [call], { signal, maxBytes: MAX_BLOCK, hexAsBytes: true })
    if (outcome && 'error' in outcome) {
      if (meaningOf('getblock', outcome.error) === 'no_block_data') {
        throw new AppError(502, 'node_bad_answer', `The node does not have the transactions of block ${hash}.`)
      }
      throw new NodeError('invalid_response', `getblock failed: ${outcome.error.code} ${outcome.error.message}`)
    }
    const raw = outcome?.result
    if (raw instanceof Uint8Array && raw.length > HEADER_BYTES && readHeader(raw).hash === hash) return raw
    throw new NodeError('invalid_response', `The node returned another block for ${hash}.`)
  })
}

function transactionsIn(raw: Uint8Array, hash: string): Transaction[] {
  try {
    return [...readBlock(raw)]
  } catch (cause) {
    if (!(cause instanceof TransactionError)) throw cause
    throw new AppError(502, 'node_bad_answer', `What the node returned for block ${hash} is no block.`, { cause })
  }
}
