import { meaningOf } from '../../../protocol/node-refusals.ts'
import {
  isOnlyExtension,
  readTransaction,
  reverseHex,
  type StrippedTransaction,
  stripTransaction,
  type Transaction,
  TransactionError,
} from '../../../protocol/transaction.ts'
import type { ChainConfig } from '../../platform/config/config.ts'
import type { RpcEndpoint } from '../../platform/config/parse-setting.ts'
import { doubleSha256 } from './double-sha256.ts'
import { NodesFailed, requestFromNodes } from './rpc-policy.ts'
import { NodeError, postBatch } from './rpc-transport.ts'

/** The intended size of the answer to one batch, in bytes of JSON, so that memory does not grow with the list. */
const BATCH_BYTES = 1 << 20
const MAX_CALLS = 125
/** What is around a transaction's data: inputs, change and JSON, in hex. */
const OVERHEAD_BYTES = 1_200
/** The largest possible answer to a batch, for any transactions, in bytes of JSON. */
const MAX_BATCH_ANSWER = 2 << 20
/** A transaction is under 4 MB by consensus; as hex in JSON under 8. */
const MAX_ANSWER = (8 << 20) + 4096

/** How many transactions of a chain one batch asks for: small ones at least 100 at a time. */
export function batchSize(chain: Pick<ChainConfig, 'maxDataBytes'>): number {
  const bytes = 2 * chain.maxDataBytes + OVERHEAD_BYTES
  return Math.max(1, Math.min(MAX_CALLS, Math.floor(BATCH_BYTES / bytes)))
}

/**
 * The transactions with these txids, in order, each hashed against its txid; `undefined` where every node says
 * that there is none, or that it is without outputs. `large` when several together are more than one answer may be: ask for fewer at a time.
 * @throws {AppError} 502 or 504 when it could not be learned, 503 without a node.
 */
export function readTransactions(
  nodes: readonly RpcEndpoint[],
  txids: readonly string[],
): Promise<(StrippedTransaction | undefined)[] | 'large'> {
  return readVerified(nodes, txids, (stripped) => stripped)
}

/** {@link readTransactions} with their witnesses, which no txid covers. */
export function readWholeTransactions(
  nodes: readonly RpcEndpoint[],
  txids: readonly string[],
): Promise<(Transaction | undefined)[] | 'large'> {
  return readVerified(nodes, txids, (_, raw) => readTransaction(raw).transaction)
}

/** What is made of a verified transaction and of all that the node sent of it. */
type Make<Made> = (stripped: StrippedTransaction, raw: Uint8Array) => Made

async function readVerified<Made>(
  nodes: readonly RpcEndpoint[],
  txids: readonly string[],
  make: Make<Made>,
): Promise<(Made | undefined)[] | 'large'> {
  const read = (node: RpcEndpoint, asked: readonly string[], signal: AbortSignal) =>
    readFromNode(node, asked, make, signal)
  try {
    const found = await requestFromNodes(nodes, (node, signal) => read(node, txids, signal))
    return nodes.length > 1 && found.includes(undefined) ? await searchMissing(nodes, txids, found, read) : found
  } catch (error) {
    const large = error instanceof NodesFailed && error.failures.some(({ failure }) => failure === 'too_large')
    if (large && txids.length > 1) return 'large'
    throw error
  }
}

/** Asks every node, because a node without the whole chain answers the same as one that found nothing. */
async function searchMissing<Made>(
  nodes: readonly RpcEndpoint[],
  txids: readonly string[],
  found: readonly (Made | undefined)[],
  read: (node: RpcEndpoint, asked: readonly string[], signal: AbortSignal) => Promise<(Made | undefined)[]>,
): Promise<(Made | undefined)[]> {
  let known = new Map(txids.map((txid, index) => [txid, found[index]]))
  let failure: unknown
  for (const node of nodes) {
    const missing = txids.filter((txid) => known.get(txid) === undefined)
    if (missing.length === 0) break
    try {
      const more = await requestFromNodes([node], (asked, signal) => read(asked, missing, signal))
      known = new Map([...known, ...missing.map((txid, index) => [txid, more[index]] as const)])
    } catch (error) {
      failure = error
    }
  }
  const all = txids.map((txid) => known.get(txid))
  if (failure !== undefined && all.includes(undefined)) throw failure
  return all
}

async function readFromNode<Made>(
  node: RpcEndpoint,
  txids: readonly string[],
  make: Make<Made>,
  signal: AbortSignal,
): Promise<(Made | undefined)[]> {
  const calls = txids.map((txid) => ({ method: 'getrawtransaction', params: [txid, false] }))
  const maxBytes = txids.length > 1 ? MAX_BATCH_ANSWER : MAX_ANSWER
  const outcomes = await postBatch(node, calls, { signal, maxBytes, hexAsBytes: true })
  return outcomes.map((outcome, index) => {
    if ('result' in outcome) return verify(outcome.result, txids[index] ?? '', make)
    const { code, message } = outcome.error
    const meaning = meaningOf('getrawtransaction', outcome.error)
    if (meaning === 'absent') return undefined
    const failure = meaning === 'indexing' || meaning === 'no_index' ? 'not_indexed' : 'invalid_response'
    throw new NodeError(failure, `getrawtransaction failed: ${code} ${message}`)
  })
}

/**
 * The transaction in the node's hex; `undefined` for one that has no output.
 * @throws {NodeError} when the hex is not the transaction with this txid.
 */
function verify<Made>(raw: unknown, txid: string, make: Make<Made>): Made | undefined {
  if (!(raw instanceof Uint8Array))
    throw new NodeError('invalid_response', `The node returned no transaction for ${txid}.`)
  try {
    const transaction = stripTransaction(raw)
    if (reverseHex(doubleSha256(transaction.bytes)) === txid) return make({ ...transaction, txid }, raw)
    if (isOnlyExtension(raw, transaction)) return undefined
  } catch (cause) {
    if (!(cause instanceof TransactionError)) throw cause
    throw new NodeError('invalid_response', `The node returned no transaction for ${txid}.`, { cause })
  }
  throw new NodeError('invalid_response', `The node returned another transaction for ${txid}.`)
}
