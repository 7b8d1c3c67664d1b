import type { Blockchain, StorageTarget } from '../../../protocol/chains.ts'
import { assertionStatement } from '../guarded-batch.ts'

export type RequestState = 'open' | 'seen' | 'settled' | 'expired' | 'cancelled'

/** A request for payment; `amount` in base units, frozen; times in milliseconds. */
export interface PaymentRequest {
  id: string
  userId: string
  target: StorageTarget
  /** Chain that it is paid on. */
  blockchain: Blockchain
  /** `undefined` when it was paid from the balance at once. */
  address: string | undefined
  /** Sorted object ids. */
  itemIds: string[]
  amount: bigint
  state: RequestState
  createdAt: number
  expiresAt: number
}

interface RequestRow {
  id: string
  user_id: string
  target: StorageTarget
  blockchain: Blockchain
  address: string | null
  item_set: string
  amount: string
  state: RequestState
  created_at: number
  expires_at: number
}

const COLUMNS = 'id, user_id, target, blockchain, address, item_set, amount, state, created_at, expires_at'

function toRequest(row: RequestRow): PaymentRequest {
  return {
    id: row.id,
    userId: row.user_id,
    target: row.target,
    blockchain: row.blockchain,
    address: row.address ?? undefined,
    itemIds: row.item_set.split(','),
    amount: BigInt(row.amount),
    state: row.state,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

/** The statements that record a request with its items. */
export function insertRequestStatements(db: D1Database, request: PaymentRequest): D1PreparedStatement[] {
  const waiting = request.state === 'open' ? 1 : 0
  return [
    db
      .prepare(`INSERT INTO payment_requests (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
      .bind(
        request.id,
        request.userId,
        request.target,
        request.blockchain,
        request.address ?? null,
        request.itemIds.join(','),
        request.amount.toString(),
        request.state,
        request.createdAt,
        request.expiresAt,
      ),
    db
      .prepare(`INSERT INTO payment_request_items (request_id, item_id, waiting) SELECT ?, value, ? FROM json_each(?)`)
      .bind(request.id, waiting, JSON.stringify(request.itemIds)),
  ]
}

/** The statements that move a request on; they fail their batch unless it is in one of `from`. */
export function moveRequestStatements(
  db: D1Database,
  request: Pick<PaymentRequest, 'id'>,
  from: readonly RequestState[],
  to: RequestState,
): D1PreparedStatement[] {
  const waits = to === 'open' || to === 'seen'
  const move = [
    assertionStatement(
      db,
      'EXISTS (SELECT 1 FROM payment_requests WHERE id = ? AND state IN (SELECT value FROM json_each(?)))',
      request.id,
      JSON.stringify(from),
    ),
    db.prepare('UPDATE payment_requests SET state = ? WHERE id = ?').bind(to, request.id),
  ]
  if (waits) return move
  return [...move, db.prepare('UPDATE payment_request_items SET waiting = 0 WHERE request_id = ?').bind(request.id)]
}

/** The request that holds any of the items while it waits for money. */
export async function selectWaitingRequest(
  db: D1Database,
  itemIds: readonly string[],
): Promise<PaymentRequest | undefined> {
  const row = await db
    .prepare(
      `SELECT ${COLUMNS} FROM payment_requests WHERE id = (
         SELECT request_id FROM payment_request_items
         WHERE waiting = 1 AND item_id IN (SELECT value FROM json_each(?)) LIMIT 1)`,
    )
    .bind(JSON.stringify(itemIds))
    .first<RequestRow>()
  return row ? toRequest(row) : undefined
}

/** A user's request with this address, on whatever chain. */
export async function selectRequestByAddress(
  db: D1Database,
  userId: string,
  address: string,
): Promise<PaymentRequest | undefined> {
  const row = await db
    .prepare(`SELECT ${COLUMNS} FROM payment_requests WHERE user_id = ? AND address = ?`)
    .bind(userId, address)
    .first<RequestRow>()
  return row ? toRequest(row) : undefined
}

/** Requests of a chain in any of `states`, oldest first. */
export async function selectRequests(
  db: D1Database,
  blockchain: Blockchain,
  states: readonly RequestState[],
): Promise<PaymentRequest[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM payment_requests
       WHERE blockchain = ? AND state IN (SELECT value FROM json_each(?)) ORDER BY created_at`,
    )
    .bind(blockchain, JSON.stringify(states))
    .all<RequestRow>()
  return results.map(toRequest)
}

/** Settled requests of a chain whose items are still being written. */
export async function selectRequestsBeingWritten(db: D1Database, blockchain: Blockchain): Promise<PaymentRequest[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM payment_requests
       WHERE blockchain = ? AND state = 'settled' AND id IN (
         SELECT request_id FROM writes WHERE state IN ('queued', 'writing', 'paused') AND unbacked = 0)`,
    )
    .bind(blockchain)
    .all<RequestRow>()
  return results.map(toRequest)
}
