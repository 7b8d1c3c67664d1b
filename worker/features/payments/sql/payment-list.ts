import type { Blockchain } from '../../../../protocol/chains.ts'
import type { PageKey } from '../../../platform/d1/page-key.ts'
import { type Row, readTexts, rowReader } from '../../../platform/d1/row-reader.ts'
import { allTransactions } from '../../items/sql/all-transactions.ts'
import type { PaymentRequest } from './payment-requests.ts'
import { firstNames, REQUEST_COLUMNS, type RequestRow, toRequest } from './payment-requests.ts'

/** A deposit address that received money; `createdAt` in milliseconds. */
export interface Deposit {
  address: string
  blockchain: Blockchain
  createdAt: number
}

/** Requests of a user that have an address, newest first, behind `after`. */
export async function selectOwnRequests(
  db: D1Database,
  query: { userId: string; after: PageKey | undefined; limit: number },
): Promise<(PaymentRequest & { address: string })[]> {
  const { results } = await db
    .prepare(
      `SELECT ${REQUEST_COLUMNS} FROM payment_requests WHERE user_id = ?1 AND address IS NOT NULL
         AND (?2 IS NULL OR (created_at, id) < (?2, ?3))
       ORDER BY created_at DESC, id DESC LIMIT ?4`,
    )
    .bind(query.userId, query.after?.createdAt ?? null, query.after?.id ?? null, query.limit)
    .all<RequestRow & { address: string }>()
  return results.map((row) => ({ ...toRequest(row), address: row.address }))
}

/** A user's deposit addresses that received money, newest first, behind `after`, whose id is the address. */
export async function selectDeposits(
  db: D1Database,
  query: { userId: string; after: PageKey | undefined; limit: number },
): Promise<Deposit[]> {
  const { results } = await db
    .prepare(
      `SELECT address, blockchain, created_at AS createdAt FROM addresses
       WHERE user_id = ?1 AND kind = 'deposit' AND (?2 IS NULL OR (created_at, address) < (?2, ?3))
         AND EXISTS (SELECT 1 FROM outputs
           WHERE outputs.blockchain = addresses.blockchain AND outputs.address = addresses.address)
       ORDER BY created_at DESC, address DESC LIMIT ?4`,
    )
    .bind(query.userId, query.after?.createdAt ?? null, query.after?.id ?? null, query.limit)
    .all<Deposit>()
  return results
}

/** What a request is for: names of its first three items and sums of all that are there, when it was paid (ms), and how much (base units). */
export interface RequestSummary {
  names: string[]
  storedSize: number
  transactions: number
  settledAt: number | undefined
  paid: bigint | undefined
}

const toSummary = rowReader<RequestSummary>({ names: readTexts, paid: (amount) => -BigInt(amount) })

/** A {@link RequestSummary} of each request. */
export async function selectRequestSummaries(
  db: D1Database,
  requestIds: readonly string[],
): Promise<Map<string, RequestSummary>> {
  const { results } = await db
    .prepare(
      `SELECT value AS id, IFNULL(SUM(items.stored_size), 0) AS stored_size,
         IFNULL(SUM(${allTransactions('items')}), 0) AS transactions,
         IFNULL((SELECT names FROM payment_requests WHERE id = value), ${firstNames('value')}) AS names,
         (SELECT paid.created_at FROM payment_requests AS asked JOIN ledger AS paid
            ON paid.blockchain = asked.blockchain AND paid.cause = 'request:' || asked.id
          WHERE asked.id = value) AS settled_at,
         (SELECT paid.amount FROM payment_requests AS asked JOIN ledger AS paid
            ON paid.blockchain = asked.blockchain AND paid.cause = 'request:' || asked.id
          WHERE asked.id = value) AS paid
       FROM json_each(?) LEFT JOIN payment_request_items AS part ON part.request_id = value
       LEFT JOIN items ON items.id = part.item_id AND items.removed_at IS NULL
       GROUP BY value`,
    )
    .bind(JSON.stringify(requestIds))
    .all<Row<RequestSummary> & { id: string }>()
  return new Map(results.map(({ id, ...summary }) => [id, toSummary(summary)]))
}
