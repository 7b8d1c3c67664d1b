import { MAX_PAID_ITEMS } from '../../../../contract/limits.ts'
import type { Blockchain, StorageTarget } from '../../../../protocol/chains.ts'
import { type PaymentRequest, REQUEST_COLUMNS, type RequestRow, toRequest } from './payment-requests.ts'

/**
 * What a paid item was paid with. `paid`, in base units, may be less than the amount of the request; `paidAt` in
 * milliseconds.
 */
export interface PaidItem {
  name: string
  blockchain: StorageTarget
  /** The index of what is stored on a chain, once it is known. */
  index: string | null
  request: PaymentRequest
  paid: bigint
  paidAt: number
  /** JSON: what one coin was worth then, by currency. */
  rates: string | null
}

type PaidRow = RequestRow &
  Omit<PaidItem, 'request' | 'paid' | 'blockchain'> & { itemBlockchain: StorageTarget; paid: string }

/** What a user's item was paid with; one that is part of a directory was paid with that. */
export async function selectPaidItem(db: D1Database, userId: string, itemId: string): Promise<PaidItem | undefined> {
  const columns = REQUEST_COLUMNS.replaceAll(/\w+/g, 'asked.$&')
  const row = await db
    .prepare(
      `SELECT ${columns}, items.name, items.blockchain AS itemBlockchain, items.index_txid AS "index",
         paid.created_at AS paidAt, paid.amount AS paid, asked.rates FROM items
       JOIN writes ON writes.item_id = IFNULL(items.part_of, items.id)
       JOIN payment_requests AS asked ON asked.id = writes.request_id
       JOIN ledger AS paid ON paid.blockchain = asked.blockchain AND paid.cause = 'request:' || asked.id
       WHERE items.id = ? AND items.user_id = ?`,
    )
    .bind(itemId, userId)
    .first<PaidRow>()
  if (!row) return undefined
  const { name, itemBlockchain, index, paid, paidAt, rates, ...asked } = row
  return { name, blockchain: itemBlockchain, index, request: toRequest(asked), paid: -BigInt(paid), paidAt, rates }
}

/** The items of a request, at most 200, which is as many as one may have. */
export async function selectPaidLines(db: D1Database, requestId: string) {
  const { results } = await db
    .prepare(
      `SELECT items.id AS item, items.name, items.size FROM payment_request_items AS part
       JOIN items ON items.id = part.item_id WHERE part.request_id = ? AND items.removed_at IS NULL
       ORDER BY items.name, items.id LIMIT ${MAX_PAID_ITEMS}`,
    )
    .bind(requestId)
    .all<{ item: string; name: string; size: number }>()
  return results
}

/** Transactions of the best chain or mempool that paid an address in time, credited by now, with what each paid. */
export async function selectPaying(
  db: D1Database,
  { blockchain, address, expiresAt }: { blockchain: Blockchain; address: string; expiresAt: number },
): Promise<{ txid: string; amount: bigint }[]> {
  const { results } = await db
    .prepare(
      `SELECT txid, amount FROM outputs
       WHERE blockchain = ? AND address = ? AND credited = 1 AND seen_at <= ? ORDER BY seen_at, txid, vout LIMIT 200`,
    )
    .bind(blockchain, address, expiresAt)
    .all<{ txid: string; amount: string }>()
  const paid = Map.groupBy(results, ({ txid }) => txid)
  return [...paid].map(([txid, outputs]) => ({
    txid,
    amount: outputs.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
  }))
}
