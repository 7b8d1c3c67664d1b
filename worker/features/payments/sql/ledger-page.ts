import type { LedgerKind } from '../../../../contract/states.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'

/** A move of a user's money, with the balance after it; base units, `at` in milliseconds. */
export interface LedgerEntry {
  /** Its place in the order of all moves. */
  place: number
  blockchain: Blockchain
  seq: number
  kind: LedgerKind
  /** Source or destination: an address, or names of the items that were paid for. */
  subject: string | null
  change: bigint
  balance: bigint
  at: number
}

type EntryRow = Omit<LedgerEntry, 'change' | 'balance'> & { change: string; balance: string }

/** An object id and the comma behind it, in `item_set`. */
const ID_CHARACTERS = 25

/** Names of the items of a request, the first three, and how many more there are. */
const NAMES = `(SELECT group_concat(name, ', ') FROM (
  SELECT items.name FROM payment_request_items AS part JOIN items ON items.id = part.item_id
  WHERE part.request_id = substr(page.cause, 9) ORDER BY part.item_id LIMIT 3)) || (SELECT CASE WHEN length(item_set) >= ${3 * ID_CHARACTERS}
  THEN ' and ' || ((length(item_set) + 1) / ${ID_CHARACTERS} - 3) || ' more' ELSE '' END
  FROM payment_requests WHERE id = substr(page.cause, 9))`

/**
 * A user's moves, the latest first, before `before` (a `place`). An output at a deposit address is a deposit; at that of
 * a request it is late where the request had ended, and excess where it was paid already.
 */
export async function selectLedgerPage(
  db: D1Database,
  { userId, before, limit }: { userId: string; before: number; limit: number },
): Promise<LedgerEntry[]> {
  const { results } = await db
    .prepare(
      `WITH page AS (
         SELECT rowid AS place, blockchain, seq, cause, amount, balance, created_at FROM ledger
         WHERE user_id = ?1 AND rowid < ?2 ORDER BY rowid DESC LIMIT ?3)
       SELECT place, page.blockchain, seq, page.amount AS change, balance, page.created_at AS at,
         CASE substr(cause, 1, instr(cause, ':') - 1)
           WHEN 'output' THEN CASE
             WHEN asked.id IS NULL THEN 'deposit'
             WHEN seen_at > expires_at OR asked.state IN ('expired', 'cancelled') THEN 'late'
             WHEN seq > (SELECT debit.seq FROM ledger AS debit
               WHERE debit.blockchain = page.blockchain AND debit.cause = 'request:' || asked.id) THEN 'excess'
             ELSE 'deposit' END
           WHEN 'request' THEN 'payment'
           WHEN 'withdrawal' THEN 'withdrawal'
           WHEN 'withdrawal-fee' THEN 'fee'
           WHEN 'withdrawal-refund' THEN 'refund'
           WHEN 'refund' THEN 'refund'
           ELSE 'manual' END AS kind,
         CASE substr(cause, 1, instr(cause, ':') - 1)
           WHEN 'output' THEN outputs.address
           WHEN 'request' THEN ${NAMES}
           WHEN 'withdrawal' THEN (SELECT address FROM withdrawals WHERE id = substr(cause, 12))
           WHEN 'withdrawal-fee' THEN (SELECT address FROM withdrawals WHERE id = substr(cause, 16, 36))
           WHEN 'withdrawal-refund' THEN (SELECT address FROM withdrawals WHERE id = substr(cause, 19)) END AS subject
       FROM page
       LEFT JOIN outputs ON outputs.blockchain = page.blockchain
         AND outputs.txid = substr(page.cause, 8, 64) AND outputs.vout = CAST(substr(page.cause, 73) AS INTEGER)
       LEFT JOIN payment_requests AS asked ON asked.blockchain = outputs.blockchain AND asked.address = outputs.address
       ORDER BY place DESC`,
    )
    .bind(userId, before, limit)
    .all<EntryRow>()
  return results.map((row) => ({ ...row, change: BigInt(row.change), balance: BigInt(row.balance) }))
}
