import type { Repair } from './repair-items.ts'

// A copy has the ledger as it was when it was begun, and the other rows as they were later. What became of money since is taken back;
// the wallet, the chain and the records in the bucket say it again.

const hasEntry = (cause: string, table: string) =>
  `EXISTS (SELECT 1 FROM ledger l WHERE l.blockchain = ${table}.blockchain AND l.cause = ${cause})`
const OUTPUT = `txid || ':' || vout`
const NAME = `${OUTPUT} || IIF(written_off = 0, '', ':' || written_off)`
const LIVE_PAYOUT = `SELECT 1 FROM transactions t WHERE t.withdrawal_id = withdrawals.id AND t.dead = 0`
const IS_DEBITED = `EXISTS (SELECT 1 FROM ledger l WHERE l.cause = 'request:' || payment_requests.id
  AND l.blockchain = payment_requests.blockchain)`
const TIP = (table: string) => `(SELECT IFNULL(MAX(height), -1) FROM blocks b WHERE b.blockchain = ${table}.blockchain)`

/** What was decided about money since the copy was begun. */
export const MONEY: readonly Repair[] = [
  {
    what: 'outputs are credited as the ledger says',
    sql: [
      `UPDATE outputs SET written_off = n FROM (
         SELECT blockchain AS chain, txid AS id, vout AS place, (
           SELECT COUNT(*) FROM ledger l WHERE l.blockchain = outputs.blockchain AND (l.cause = 'write-off:' || ${OUTPUT}
             OR l.cause > 'write-off:' || ${OUTPUT} || ':' AND l.cause < 'write-off:' || ${OUTPUT} || ';')) AS n
         FROM outputs)
       WHERE blockchain = chain AND txid = id AND vout = place AND written_off <> n`,
      `UPDATE outputs SET credited = 1 - credited WHERE credited <> ${hasEntry(`'output:' || ${NAME}`, 'outputs')}`,
    ],
  },
  {
    what: 'requests that were settled since are open',
    sql: [
      `DELETE FROM payment_requests WHERE state = 'settled' AND address IS NULL AND NOT ${IS_DEBITED}`,
      `UPDATE payment_requests SET state = IIF(EXISTS (SELECT 1 FROM outputs o WHERE o.blockchain = payment_requests.blockchain
           AND o.address = payment_requests.address), 'seen', 'open')
         WHERE state = 'settled' AND NOT ${IS_DEBITED}`,
      `UPDATE payment_requests SET state = 'cancelled' WHERE state IN ('open', 'seen') AND EXISTS (
         SELECT 1 FROM payment_requests other WHERE other.state IN ('open', 'seen') AND other.user_id = payment_requests.user_id
           AND other.item_set = payment_requests.item_set AND other.rowid > payment_requests.rowid)`,
      `UPDATE payment_request_items SET waiting = 1 - waiting WHERE waiting <> EXISTS (
         SELECT 1 FROM payment_requests r WHERE r.id = request_id AND r.state IN ('open', 'seen'))`,
      `UPDATE payment_request_items SET waiting = 0 WHERE waiting = 1 AND EXISTS (SELECT 1 FROM payment_request_items other
         WHERE other.item_id = payment_request_items.item_id AND other.waiting = 1
           AND other.rowid > payment_request_items.rowid)`,
    ],
  },
  {
    what: 'withdrawals that ended or were paid since wait; their records in the bucket and the wallet say what became of them',
    sql: [
      `UPDATE withdrawals SET state = 'waiting', reason = NULL, ending = NULL, back_tx_chain = NULL, back_height = NULL,
         spent_height = NULL
       WHERE state IN ('cancelled', 'refunded') AND user_id <> 'service'
         AND ${hasEntry(`'withdrawal:' || withdrawals.id`, 'withdrawals')}
         AND NOT ${hasEntry(`'withdrawal-refund:' || withdrawals.id`, 'withdrawals')}`,
      `UPDATE withdrawals SET back_tx_chain = NULL, back_height = NULL, spent_height = NULL
       WHERE back_tx_chain IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM tx_chains c WHERE c.blockchain = withdrawals.blockchain AND c.id = back_tx_chain)`,
      `UPDATE withdrawals SET state = 'waiting', reason = NULL WHERE state IN ('sent', 'confirmed') AND NOT EXISTS (${LIVE_PAYOUT})`,
    ],
  },
  {
    what: 'blocks above the one that the copy was begun at are read again',
    sql: [
      `UPDATE outputs SET block_hash = NULL, block_height = NULL WHERE block_height > ${TIP('outputs')}`,
      `UPDATE outputs SET dropped = 0 WHERE dropped = 1 AND block_height IS NULL`,
      `UPDATE withdrawals SET state = 'sent' WHERE state = 'confirmed' AND NOT EXISTS (
         ${LIVE_PAYOUT} AND t.state = 'mined' AND t.block_height <= ${TIP('t')})`,
      `UPDATE transactions SET state = 'sent', block_hash = NULL, block_height = NULL
       WHERE state = 'mined' AND block_height > ${TIP('transactions')}`,
      `UPDATE transactions SET spent_height = NULL WHERE spent_height > ${TIP('transactions')}`,
      `UPDATE withdrawals SET spent_height = NULL WHERE ending IS NOT NULL AND spent_height > ${TIP('withdrawals')}`,
    ],
  },
]

/** What a chain begins with: the wallet is searched whole, and nothing is signed until an operator says so. */
export function chainRepairs(id: string, at: number): Repair[] {
  const stop = `SELECT blockchain, part, 'hand', 'The database was restored from a copy. Compare with \`npm run admin -- reconcile\`, and let it go on then.', ${at}
    FROM chain_states, (SELECT 'payouts' AS part UNION ALL SELECT 'writing') WHERE TRUE`
  return [
    {
      what: 'of each chain the wallet is searched whole, and payouts and writing are stopped',
      sql: [
        'UPDATE wallet_scans SET tx_count = 0, waiting = NULL',
        // Another than any agent has: it stops payouts until what left the wallet is explained, whatever numbers it has.
        `UPDATE chain_states SET mark = '${RESTORED_MARK}${id}', problem = NULL, problem_since = NULL`,
        'UPDATE stops SET number = NULL, mark = NULL',
        `INSERT INTO stops (blockchain, part, cause, reason, since) ${stop} ON CONFLICT DO NOTHING`,
        'DELETE FROM reconciliations',
        'DELETE FROM progress',
        'DELETE FROM incidents',
      ],
    },
  ]
}

/** What the mark of a chain begins with in a database that was restored and that no agent has worked with. */
export const RESTORED_MARK = 'restored-'
