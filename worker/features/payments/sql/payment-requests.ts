import type { Blockchain, StorageTarget } from '../../../../protocol/chains.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'
import { insertEventStatement } from '../../../platform/records/event-queue.ts'
import { requestEvent } from '../request-event.ts'
import { freshSince, ratesOf } from './prices.ts'

export type RequestState = 'open' | 'seen' | 'settled' | 'expired' | 'cancelled'

/** What a price is made of beside what is there because the network relays no smaller output; base units. */
export interface PriceParts {
  networkFee: bigint
  storageFee: bigint
}

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
  /** The fee rate that it was priced with, base units per 1,000 vbytes. */
  feeRate: bigint
  /** What the amount is made of, base units. */
  parts: PriceParts
  state: RequestState
  createdAt: number
  expiresAt: number
}

type RequestFields = Omit<PaymentRequest, 'itemIds' | 'parts'> & { itemSet: string[] } & PriceParts

export type RequestRow = Row<RequestFields>

/** Columns of a {@link RequestRow}. */
export const REQUEST_COLUMNS =
  'id, user_id, target, blockchain, address, item_set, amount, fee_rate, network_fee, storage_fee, state, created_at, expires_at'

const toFields = rowReader<RequestFields>({
  ...{ amount: BigInt, feeRate: BigInt, networkFee: BigInt, storageFee: BigInt },
  itemSet: (ids) => ids.split(','),
})

export function toRequest(row: RequestRow): PaymentRequest {
  const { itemSet, networkFee, storageFee, ...fields } = toFields(row)
  return { ...fields, itemIds: itemSet, parts: { networkFee, storageFee } }
}

/** The statements that record a request with its items. */
export function insertRequestStatements(db: D1Database, request: PaymentRequest): D1PreparedStatement[] {
  const waiting = Number(request.state === 'open')
  const { state, createdAt } = request
  return [
    ...(state === 'settled' ? [insertEventStatement(db, requestEvent(request, state, createdAt))] : []),
    db
      .prepare(`INSERT INTO payment_requests (${REQUEST_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
      .bind(
        request.id,
        request.userId,
        request.target,
        request.blockchain,
        request.address ?? null,
        request.itemIds.join(','),
        request.amount.toString(),
        request.feeRate.toString(),
        request.parts.networkFee.toString(),
        request.parts.storageFee.toString(),
        request.state,
        request.createdAt,
        request.expiresAt,
      ),
    db
      .prepare(`INSERT INTO payment_request_items (request_id, item_id, waiting) SELECT ?, value, ? FROM json_each(?)`)
      .bind(request.id, waiting, JSON.stringify(request.itemIds)),
    ...(state === 'settled' ? [keepRatesStatement(db, request.id, createdAt)] : []),
  ]
}

/**
 * The statements that change the state of a request and notify its user. They fail their batch unless its state is one
 * of `from`.
 */
export function moveRequestStatements(
  db: D1Database,
  request: PaymentRequest,
  from: readonly RequestState[],
  to: RequestState,
  now: number,
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
    ...(to === 'settled' ? [keepRatesStatement(db, request.id, now)] : []),
    insertEventStatement(db, requestEvent(request, to, now)),
  ]
  if (waits) return move
  if (to !== 'settled') move.push(keepNamesStatement(db, request.id))
  return [...move, db.prepare('UPDATE payment_request_items SET waiting = 0 WHERE request_id = ?').bind(request.id)]
}

/** Keeps what a coin is worth at the payment of a request, for its receipt. */
function keepRatesStatement(db: D1Database, id: string, now: number): D1PreparedStatement {
  return db
    .prepare(`UPDATE payment_requests SET rates = ${ratesOf('blockchain', '?2')} WHERE id = ?1`)
    .bind(id, freshSince(now))
}

/** Keeps the names of what a request was for, before its items are removed. */
function keepNamesStatement(db: D1Database, id: string): D1PreparedStatement {
  return db.prepare(`UPDATE payment_requests SET names = ${firstNames('?1')} WHERE id = ?1 AND names IS NULL`).bind(id)
}

/** Names of the first three items of a request, given as SQL, that are not removed: JSON. */
export const firstNames = (request: string) => `(SELECT json_group_array(name) FROM (
    SELECT named.name FROM payment_request_items AS first JOIN items AS named ON named.id = first.item_id
    WHERE first.request_id = ${request} AND named.removed_at IS NULL ORDER BY first.item_id LIMIT 3))`

/**
 * The statements that have a request that expired wait again, for money that was in time; they fail their batch where an
 * item of it waits in another one.
 */
export function reopenRequestStatements(db: D1Database, request: PaymentRequest, now: number): D1PreparedStatement[] {
  return [
    ...moveRequestStatements(db, request, ['expired'], 'seen', now),
    db.prepare('UPDATE payment_request_items SET waiting = 1 WHERE request_id = ?').bind(request.id),
  ]
}

/** The request that holds any of the items while it waits for money, which it has an address for. */
export async function selectWaitingRequest(
  db: D1Database,
  itemIds: readonly string[],
): Promise<(PaymentRequest & { address: string }) | undefined> {
  const row = await db
    .prepare(
      `SELECT ${REQUEST_COLUMNS} FROM payment_requests WHERE id = (
         SELECT request_id FROM payment_request_items
         WHERE waiting = 1 AND item_id IN (SELECT value FROM json_each(?)) LIMIT 1)`,
    )
    .bind(JSON.stringify(itemIds))
    .first<RequestRow & { address: string }>()
  return row ? { ...toRequest(row), address: row.address } : undefined
}

/** An open payment request, as one of its items shows it; `expiresAt` in milliseconds. */
export interface WaitingPayment {
  itemId: string
  address: string
  items: number
  expiresAt: number
}

/** For each of these items that waits in a request for money, that request. */
export async function selectWaitingPayments(db: D1Database, itemIds: readonly string[]): Promise<WaitingPayment[]> {
  const { results } = await db
    .prepare(
      `SELECT part.item_id AS itemId, asked.address, asked.expires_at AS expiresAt,
         length(asked.item_set) - length(replace(asked.item_set, ',', '')) + 1 AS items
       FROM json_each(?) AS wanted
       CROSS JOIN payment_request_items AS part ON part.item_id = wanted.value AND part.waiting = 1
       JOIN payment_requests AS asked ON asked.id = part.request_id`,
    )
    .bind(JSON.stringify(itemIds))
    .all<WaitingPayment>()
  return results
}

/** A request of any user. */
export async function selectRequest(db: D1Database, id: string): Promise<PaymentRequest | undefined> {
  const row = await db
    .prepare(`SELECT ${REQUEST_COLUMNS} FROM payment_requests WHERE id = ?`)
    .bind(id)
    .first<RequestRow>()
  return row ? toRequest(row) : undefined
}

/** A user's request with this address, on any chain. */
export async function selectRequestByAddress(
  db: D1Database,
  userId: string,
  address: string,
): Promise<PaymentRequest | undefined> {
  const row = await db
    .prepare(`SELECT ${REQUEST_COLUMNS} FROM payment_requests WHERE user_id = ? AND address = ?`)
    .bind(userId, address)
    .first<RequestRow>()
  return row ? toRequest(row) : undefined
}

/**
 * The open requests that may change state, because money was seen or they have expired: the oldest first, at most
 * `limit` after `after`.
 */
export async function selectRequestsToDecide(
  db: D1Database,
  blockchain: Blockchain,
  now: number,
  { after, limit }: { after: string; limit: number },
): Promise<PaymentRequest[]> {
  const { results } = await db
    .prepare(
      `SELECT ${REQUEST_COLUMNS} FROM payment_requests
       WHERE blockchain = ?1 AND state IN ('open', 'seen') AND id > ?3
         AND (expires_at < ?2 OR state = 'seen' OR EXISTS (
           SELECT 1 FROM outputs WHERE blockchain = ?1 AND outputs.address = payment_requests.address))
       ORDER BY id LIMIT ?4`,
    )
    .bind(blockchain, now, after, limit)
    .all<RequestRow>()
  return results.map(toRequest)
}

/**
 * At most `limit` requests that expired after `since` and whose addresses received, before they expired, about their
 * amount less `tolerance` percent that is not credited. The caller must sum the outputs exactly.
 */
export async function selectExpiredWithMoney(
  db: D1Database,
  blockchain: Blockchain,
  { since, tolerance, limit }: { since: number; tolerance: number; limit: number },
): Promise<PaymentRequest[]> {
  const { results } = await db
    .prepare(
      // Reads the open outputs, not all requests that ever expired. Dust to many requests does not hide one that is
      // paid.
      `SELECT ${REQUEST_COLUMNS.replaceAll(/\w+/g, 'late.$&')} FROM (
         SELECT address, MIN(seen_at) AS seen_at, TOTAL(amount) AS money FROM outputs INDEXED BY outputs_open
         WHERE blockchain = ?1 AND credited = 0 AND dropped = 0 GROUP BY address) AS paid
       CROSS JOIN payment_requests AS late INDEXED BY payment_requests_by_address ON late.address = paid.address
       WHERE late.blockchain = ?1 AND late.state = 'expired' AND late.expires_at > ?2 AND paid.seen_at < late.expires_at
         AND paid.money >= (0.99 - ?4 / 100.0) * late.amount
       LIMIT ?3`,
    )
    .bind(blockchain, since, limit, tolerance)
    .all<RequestRow>()
  return results.map(toRequest)
}

/** In SQL, the requests of items whose payment may have left the chain: money of their user is off it; or they are paused. */
const IN_DOUBT = {
  written: `SELECT writes.request_id FROM writes JOIN payment_requests AS paid ON paid.id = writes.request_id
    WHERE writes.blockchain = ?1 AND writes.state IN ('queued', 'writing') AND unbacked = 0
      AND paid.user_id IN (
        SELECT user_id FROM outputs JOIN addresses USING (blockchain, address)
        WHERE outputs.blockchain = ?1 AND credited = 1 AND block_height IS NULL)`,
  paused: "SELECT request_id FROM writes WHERE blockchain = ?1 AND state = 'paused' AND unbacked = 0",
}

/**
 * Settled requests of a chain whose payment may have left it, of items that are being `written` or are `paused`: at most
 * `limit`, from the id `from` on.
 */
export async function selectRequestsInDoubt(
  db: D1Database,
  blockchain: Blockchain,
  part: keyof typeof IN_DOUBT,
  { from = '', limit }: { from: string | undefined; limit: number },
): Promise<PaymentRequest[]> {
  const { results } = await db
    .prepare(
      `SELECT ${REQUEST_COLUMNS} FROM payment_requests WHERE state = 'settled' AND id IN (${IN_DOUBT[part]})
         AND id >= ?2 ORDER BY id LIMIT ?3`,
    )
    .bind(blockchain, from, limit)
    .all<RequestRow>()
  return results.map(toRequest)
}
