import { isRecord } from '../../client/http/parse-json.ts'
import { fromHex } from '../../protocol/bytes.ts'
import { meaningOf } from '../../protocol/node-refusals.ts'
import { readBlock } from '../../protocol/read-block.ts'
import { readStripped, readTransaction, type Transaction, TransactionError } from '../../protocol/transaction.ts'
import type { FetchOptions } from '../../reader/fetch-bytes.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { type ChainNode, callNode, type NodeCall, refusalOf } from './call-node.ts'

/** A block of 1 MB, which is the most that Dogecoin has, is 2 MB of hex. */
const MAX_ANSWER = 8 << 20

/** A transaction, and the height of the block that it is in; `undefined` where it is not mined. */
interface PlacedTransaction {
  transaction: Transaction
  height: number | undefined
}

/** What a search reads from a node. */
export interface NodeBlocks {
  /** @throws {ReaderError} `not_found`, `not_verified` where it has another txid, `unavailable`, `network` … */
  transaction(txid: string): Promise<PlacedTransaction>
  /** The transactions of a block in chain order; `undefined` where the chain ends before it. @throws {ReaderError} */
  block(height: number): Promise<Transaction[] | undefined>
}

/** The blocks of Dogecoin that a node has. It needs `txindex` for transactions. */
export function nodeBlocks(node: ChainNode, options: FetchOptions): NodeBlocks {
  const call = async (method: string, params: NodeCall['params']) => {
    const [answer] = await callNode(node, [{ method, params }], { ...options, maxBytes: MAX_ANSWER })
    return answer ?? { result: undefined, error: undefined }
  }
  return {
    async transaction(txid) {
      const { result, error } = await call('getrawtransaction', [txid, 1])
      if (!isRecord(result)) throw refusalOf('getrawtransaction', error, txid)
      const transaction = parseTransaction(result.hex, txid)
      if (typeof result.blockhash !== 'string') return { transaction, height: undefined }
      const header = await call('getblockheader', [result.blockhash])
      const height = isRecord(header.result) ? header.result.height : undefined
      if (typeof height !== 'number') throw refusalOf('getblockheader', header.error, `block ${result.blockhash}`)
      return { transaction, height }
    },
    async block(height) {
      const { result: hash, error } = await call('getblockhash', [height])
      if (error && meaningOf('getblockhash', error) === 'absent') return undefined
      if (typeof hash !== 'string') throw refusalOf('getblockhash', error, `block ${height}`)
      const { result, error: refused } = await call('getblock', [hash, false])
      if (typeof result !== 'string') throw refusalOf('getblock', refused, `block ${height}`)
      return parseBlock(result, height)
    },
  }
}

function parseTransaction(hex: unknown, txid: string): Transaction {
  const raw = typeof hex === 'string' ? fromHex(hex) : undefined
  const parsed = raw && readOrUndefined(() => ({ ...readTransaction(raw), txid: readStripped(raw).txid }))
  if (parsed?.txid === txid) return parsed.transaction
  throw new ReaderError('not_verified', `What the node answered for ${txid} is another transaction, or none.`)
}

function parseBlock(hex: string, height: number): Transaction[] {
  const raw = fromHex(hex)
  const transactions = raw && readOrUndefined(() => [...readBlock(raw)])
  if (transactions) return transactions
  throw new ReaderError('not_verified', `What the node answered for block ${height} is no block of Dogecoin.`)
}

function readOrUndefined<Parsed>(read: () => Parsed): Parsed | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof TransactionError) return undefined
    throw error
  }
}
