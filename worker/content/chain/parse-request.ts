import { MAX_TXIDS } from '../../../contract/limits.ts'
import { BLOCKCHAINS, type Blockchain, isBlockchain } from '../../../protocol/chains.ts'
import { invalidField } from '../../platform/http/errors.ts'

/** What a retrieval asks for: transactions of one chain, in order; txids in lower case. */
export interface ContentRequest {
  blockchain: Blockchain
  txids: string[]
}

/** @throws {AppError} 400 naming the field, for the fields of a body. */
export function parseContentRequest(body: { blockchain?: unknown; txids?: unknown }): ContentRequest {
  const blockchain = parseBlockchain(body.blockchain)
  if (!Array.isArray(body.txids)) throw invalidField('txids', 'must be a list of transaction ids.')
  return { blockchain, txids: parseTxids(body.txids) }
}

/** @throws {AppError} 400, for the parts of a path; txids are joined by commas there. */
export function parseContentPath(blockchain: string, txids: string): ContentRequest {
  return { blockchain: parseBlockchain(blockchain), txids: parseTxids(txids.split(',')) }
}

/** @throws {AppError} 400 */
export function parseBlockchain(value: unknown): Blockchain {
  if (isBlockchain(value)) return value
  if (value === 'IPFS') throw invalidField('blockchain', 'IPFS has no transactions: get its content at /ipfs/<cid>.')
  throw invalidField('blockchain', `must be one of ${BLOCKCHAINS.join(', ')}, capitals as written here.`)
}

function parseTxids(values: readonly unknown[]): string[] {
  if (values.length < 1 || values.length > MAX_TXIDS) {
    throw invalidField('txids', `must hold 1 to ${MAX_TXIDS} transaction ids, not ${values.length}.`)
  }
  return values.map((value, index) => {
    if (typeof value !== 'string' || !/^[0-9a-fA-F]{64}$/.test(value)) {
      throw invalidField(`txids[${index}]`, 'must be 64 hex digits.')
    }
    return value.toLowerCase()
  })
}
