/**
 * What a node's refusal of a call means. Only `absent` says that something does not exist; after any other, whether it does
 * is not known.
 */
export type RefusalMeaning =
  | 'absent'
  /** The node does not answer any call yet. */
  | 'starting'
  /** The node still builds its index of transactions (`txindex`). */
  | 'indexing'
  /** The node has no index of transactions. */
  | 'no_index'
  /** The node does not have the data of that block. */
  | 'no_block_data'
  /** This version of the node does not have the method, or its operator disabled it. */
  | 'no_method'
  | 'other'

interface Row {
  code: number
  /** Of any method, where it is left out. */
  method?: string
  /** The sentence; any, where it is left out. */
  message?: RegExp
  means: RefusalMeaning
}

/**
 * The first row that fits counts. From `src/rpc` of Bitcoin Core, Litecoin Core and Dogecoin Core 1.14. The last has no
 * sentence for an index that is being built: it builds it only together with the chain.
 */
const ROWS: readonly Row[] = [
  // RPC_IN_WARMUP: "Loading block index…", "Verifying blocks…", "Rescanning…" and others.
  { code: -28, means: 'starting' },
  // RPC_METHOD_NOT_FOUND: "Method not found", and the same with "(disabled)" or "(wallet method is disabled …)".
  { code: -32601, means: 'no_method' },
  // RPC_INVALID_ADDRESS_OR_KEY
  { code: -5, method: 'getrawtransaction', message: /in the process of being indexed/, means: 'indexing' },
  { code: -5, method: 'getrawtransaction', message: /-txindex/, means: 'no_index' },
  { code: -5, method: 'getrawtransaction', message: /^No such mempool or blockchain transaction/, means: 'absent' },
  // Its output is a public key, so it holds no data, whoever is asked.
  { code: -5, method: 'getrawtransaction', message: /^The genesis block coinbase/, means: 'absent' },
  // "Invalid or non-wallet transaction id", "Transaction not in mempool".
  { code: -5, method: 'gettransaction', means: 'absent' },
  { code: -5, method: 'getmempoolentry', means: 'absent' },
  // RPC_INVALID_PARAMETER: "Block height out of range". Other sentences of this code are about the form of a parameter.
  { code: -8, method: 'getblockhash', message: /out of range/, means: 'absent' },
  // RPC_MISC_ERROR, and RPC_INTERNAL_ERROR in Dogecoin Core: "Block not available (pruned data)", "… (not fully
  // downloaded)", "Block not found on disk", "Can't read block from disk".
  { code: -1, method: 'getblock', message: /^Block not |^Can't read block/, means: 'no_block_data' },
  { code: -32603, method: 'getblock', message: /^Block not |^Can't read block/, means: 'no_block_data' },
]

/** What the error of a node's RPC means for the method that was called. */
export function meaningOf(method: string, error: { code: number; message: string }): RefusalMeaning {
  const row = ROWS.find(
    (one) =>
      one.code === error.code &&
      (one.method === undefined || one.method === method) &&
      (one.message === undefined || one.message.test(error.message)),
  )
  return row?.means ?? 'other'
}
