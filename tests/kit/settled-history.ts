/** Tx chains that the transactions of the history are spread over, and accounts, where nobody says otherwise. */
const TX_CHAINS = 40_000
const USERS = 1_000
/** Numbers of tx chains that a new service has not used. */
const FIRST_TX_CHAIN = 1_000_000
/** 1 January 2026, milliseconds: long before any clock that a test sets. */
const PAID_AT = 1_767_225_600_000

/** A statement, and the values that are bound to it. */
export interface HistoryStatement {
  sql: string
  values: (string | number)[]
}

/** Ids made from row numbers, in the product's form, so that they are in the order of their index. */
const ID = (kind: number) => `printf('%023x%x', n, ${kind})`
const TXID = (kind: number) => `printf('%056x%08x', n, ${kind})`
/** A number of JavaScript is bound as a REAL. */
const USERS_BOUND = 'CAST(?4 AS INTEGER)'
const USER = `printf('%024x', n % ${USERS_BOUND})`
const ADDRESS = `printf('history%09d', n)`
const HEIGHT = '(n % json_array_length(?2))'
const BLOCK = `?2 ->> ('$[' || ${HEIGHT} || ']')`

const TABLES = [
  `INSERT INTO users (id, email, password_hash, first_name, last_name, status, created_at)
   SELECT ${USER}, n || '@history.example', '', 'A', 'B', 1, ${PAID_AT} FROM number WHERE n < ?4`,
  `INSERT INTO addresses (blockchain, address, script, user_id, kind, state, created_at)
   SELECT ?3, ${ADDRESS}, printf('0014%040x', n), ${USER}, 'request', 'retired', ${PAID_AT} FROM number`,
  `INSERT INTO items (id, user_id, name, mimetype, blockchain, size, chunk_size, chunks, status, stored_size, transactions,
     max_data_bytes, written, confirmed, created_at, updated_at, leftovers)
   SELECT ${ID(1)}, ${USER}, 'a.bin', 'application/octet-stream', ?3, 60, 100000, 1, 200, 60, 1, 80, 1, 1, ${PAID_AT}, ${PAID_AT}, 0
   FROM number`,
  `INSERT INTO item_txids (item_id, txids) SELECT ${ID(1)}, ${TXID(2)} FROM number`,
  `INSERT INTO payment_requests (id, user_id, target, blockchain, address, item_set, amount, state, created_at, expires_at,
     fee_rate, network_fee, storage_fee)
   SELECT ${ID(3)}, ${USER}, ?3, ?3, ${ADDRESS}, ${ID(1)}, '10000', 'settled', ${PAID_AT}, ${PAID_AT + 3_600_000}, '1000', '5000',
     '5000' FROM number`,
  `INSERT INTO payment_request_items (request_id, item_id, waiting) SELECT ${ID(3)}, ${ID(1)}, 0 FROM number`,
  `INSERT INTO outputs (blockchain, txid, vout, address, amount, coinbase, seen_at, in_mempool, block_hash, block_height, credited)
   SELECT ?3, ${TXID(4)}, 0, ${ADDRESS}, '10000', 0, ${PAID_AT}, 0, ${BLOCK}, ${HEIGHT}, 1 FROM number`,
  `INSERT INTO ledger (user_id, blockchain, seq, amount, balance, cause, created_at)
   SELECT ${USER}, ?3, 2 * (n / ${USERS_BOUND}) + 1, '10000', '10000', 'output:' || ${TXID(4)} || ':0', ${PAID_AT} FROM number`,
  `INSERT INTO ledger (user_id, blockchain, seq, amount, balance, cause, created_at)
   SELECT ${USER}, ?3, 2 * (n / ${USERS_BOUND}) + 2, '-10000', '0', 'request:' || ${ID(3)}, ${PAID_AT} FROM number`,
  `INSERT INTO tx_chains (blockchain, id, coin_txid, coin_vout, coin_value, coin_script, script, state)
   SELECT ?3, ${FIRST_TX_CHAIN} + n, ${TXID(5)}, 0, '100000000', printf('0014%040x', n), printf('0014%040x', n), 'closed' FROM number WHERE n < ${TX_CHAINS}`,
  `INSERT INTO writes (item_id, blockchain, target, request_id, state, data_bytes, transactions, next_index, created_at)
   SELECT ${ID(1)}, ?3, ?3, ${ID(3)}, 'done', 80, 1, 1, ${PAID_AT} FROM number`,
  `INSERT INTO transactions (blockchain, txid, tx_chain, seq, item_id, item_index, bundle, "offset", length, vsize, fee, change_vout,
     change_value, state, attempts, sent_height, checked_height, block_hash, block_height)
   SELECT ?3, ${TXID(2)}, ${FIRST_TX_CHAIN} + n % ${TX_CHAINS}, n / ${TX_CHAINS}, ${ID(1)}, 0, '', 0, 250, 220, '220', 0, '99990000', 'mined', 1, ${HEIGHT},
     ${HEIGHT}, ${BLOCK}, ${HEIGHT} FROM number`,
  `INSERT INTO transaction_inputs (blockchain, prev_txid, prev_vout, txid)
   SELECT ?3, IIF(n < ${TX_CHAINS}, printf('%056x%08x', n, 5), printf('%056x%08x', n - ${TX_CHAINS}, 2)), 0, ${TXID(2)} FROM number`,
]

/**
 * The statements that put `count` items into a database, which knows none of their names yet, as the product leaves them when all is done: each was paid by a
 * request of its own, settled by one credited output, and is in one transaction mined in one of `blocks` (hashes from
 * height 0 up), and belongs to one of `users` accounts. One statement a table, whose rows refer only to those of
 * statements before it.
 */
export function settledHistory(
  count: number,
  blockchain: string,
  blocks: readonly string[],
  users = USERS,
): HistoryStatement[] {
  const numbers = 'WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < ?1)'
  const values = [count, JSON.stringify(blocks), blockchain, users]
  return TABLES.map((sql) => ({
    sql: sql.replace(/^(INSERT[^)]*\))/, `$1 ${numbers}`),
    values: values.slice(0, sql.includes('?4') ? 4 : sql.includes('?3') ? 3 : 1),
  }))
}
