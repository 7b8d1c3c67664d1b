import type { WITHDRAWAL_STATES } from '../../../../contract/states.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { deleteFailedWhereStatement } from '../../../chain/follower/failed-records.ts'
import { firstRow } from '../../../platform/d1/first-row.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import type { PageKey } from '../../../platform/d1/page-key.ts'
import { type Row, readBoolean, rowReader } from '../../../platform/d1/row-reader.ts'
import { insertSelectedEventsStatement, type NewEvent } from '../../../platform/records/event-queue.ts'
import type { Coin } from '../../transactions/sql/tx-chains.ts'

type WithdrawalState = (typeof WITHDRAWAL_STATES)[number]

/** How an operator ends a withdrawal: with the money back in the balance, or paid in another way. */
export type WithdrawalEnding = 'refunded' | 'paid_elsewhere'

/** Money on its way out of a balance; amounts in base units, `script` in hex, `createdAt` in milliseconds. */
export interface Withdrawal {
  id: string
  userId: string
  blockchain: Blockchain
  address: string
  script: string
  amount: bigint
  /** Debited beside the amount. */
  fee: bigint
  /** That the fee was made with, base units per 1,000 vbytes. */
  feeRate: bigint
  state: WithdrawalState
  /** Why it is `failed`, or what it waits for. */
  reason: string | undefined
  /** Since when that is the reason, milliseconds. */
  since: number | undefined
  /** What every transaction ever signed for it spends. */
  coin: Coin | undefined
  createdAt: number
  /** Whether an operator let it pass the limits on payouts. */
  approved: boolean
  /** How it is to end once its coin is back in the wallet; with the tx chain that brings it back, and the height that was begun at. */
  ending: WithdrawalEnding | undefined
  backTxChain: number | undefined
  backHeight: number | undefined
  /** Height at which something else was first found to spend its coin. */
  spentHeight: number | undefined
  /** Whether the database explains that the wallet has a label of its payout. */
  payoutLabelled: boolean
  /** So many labels of its end the database explains: each end that failed, or that an operator has looked up, left one. */
  endLabels: number
  /** When a request last began to end it (milliseconds) that is not known to have failed. */
  endBegun: number | undefined
}

/** What a withdrawal is requested with. */
export type AskedWithdrawal = Pick<
  Withdrawal,
  'id' | 'userId' | 'blockchain' | 'address' | 'script' | 'amount' | 'fee' | 'feeRate' | 'createdAt'
>

/** A withdrawal with its live transaction, where there is one: the txid once the node has accepted it. */
export interface ListedWithdrawal extends Withdrawal {
  txid: string | undefined
  blockHeight: number | undefined
}

type WithdrawalFields = Omit<Withdrawal, 'coin' | 'backTxChain'> & {
  [Name in keyof Coin as `coin${Capitalize<Name>}`]: Coin[Name] | undefined
} & { backTxChain: number | undefined }

type WithdrawalRow = Row<WithdrawalFields>

const COLUMNS = `id, user_id, blockchain, address, script, amount, fee, fee_rate, state, reason, since, coin_txid,
  coin_vout, coin_value, coin_script, created_at, approved, ending, back_tx_chain, back_height, spent_height,
  payout_labelled, end_labels, end_begun`

/** As the index of these says it. */
export const IS_UNSENT = `state IN ('waiting', 'held', 'failed')`

const toFields = rowReader<WithdrawalFields>({
  ...{ amount: BigInt, fee: BigInt, feeRate: BigInt, coinValue: BigInt },
  ...{ approved: readBoolean, payoutLabelled: readBoolean },
})

function toWithdrawal(row: WithdrawalRow): Withdrawal {
  const { coinTxid: txid, coinVout: vout, coinValue: value, coinScript: script, backTxChain, ...fields } = toFields(row)
  const tied = txid !== undefined && vout !== undefined && value !== undefined && script !== undefined
  return { ...fields, coin: tied ? { txid, vout, value, script } : undefined, backTxChain: backTxChain }
}

/** The statement that records a withdrawal that was requested. */
export function insertWithdrawalStatement(db: D1Database, withdrawal: AskedWithdrawal): D1PreparedStatement {
  const { id, userId, blockchain, address, script, amount, fee, feeRate, createdAt } = withdrawal
  return db
    .prepare(
      `INSERT INTO withdrawals (id, user_id, blockchain, address, script, amount, fee, fee_rate, state, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?)`,
    )
    .bind(
      ...[id, userId, blockchain, address, script],
      ...[amount.toString(), fee.toString(), feeRate.toString(), createdAt],
    )
}

/** The statement that fails its batch when a user has `most` withdrawals that wait, or more. */
export function assertFewWithdrawalsStatement(db: D1Database, userId: string, most: number): D1PreparedStatement {
  return assertionStatement(
    db,
    `(SELECT COUNT(*) FROM withdrawals WHERE user_id = ? AND ${IS_UNSENT}) < ?`,
    userId,
    most,
  )
}

/** The number of the newest withdrawal of all; 0 while there is none. */
export async function selectNewestWithdrawal(db: D1Database): Promise<number> {
  const statement = db.prepare('SELECT IFNULL(MAX(rowid), 0) AS newest FROM withdrawals')
  return (await firstRow<{ newest: number }>(statement)).newest
}

/** The statement that fails its batch when a withdrawal was requested behind `newest`. */
export function assertNewestWithdrawalStatement(db: D1Database, newest: number): D1PreparedStatement {
  return assertionStatement(db, '(SELECT IFNULL(MAX(rowid), 0) FROM withdrawals) = ?', newest)
}

/** How many withdrawals of a user wait to be sent. */
export async function selectWaitingCount(db: D1Database, userId: string): Promise<number> {
  const statement = db.prepare(`SELECT COUNT(*) AS n FROM withdrawals WHERE user_id = ? AND ${IS_UNSENT}`).bind(userId)
  return (await firstRow<{ n: number }>(statement)).n
}

/** What left a user's balance for withdrawals that are not sent yet, fees included, by chain, in base units. */
export async function selectReserved(db: D1Database, userId: string): Promise<Map<Blockchain, bigint>> {
  const { results } = await db
    .prepare(`SELECT blockchain, amount, fee FROM withdrawals WHERE user_id = ? AND ${IS_UNSENT}`)
    .bind(userId)
    .all<{ blockchain: Blockchain; amount: string; fee: string }>()
  const reserved = new Map<Blockchain, bigint>()
  for (const { blockchain, amount, fee } of results) {
    reserved.set(blockchain, (reserved.get(blockchain) ?? 0n) + BigInt(amount) + BigInt(fee))
  }
  return reserved
}

/** Withdrawals of a user, newest first, behind `after`; the one of this `id` where one is given. */
export async function selectWithdrawals(
  db: D1Database,
  query: { userId: string; id?: string; after: PageKey | undefined; limit: number },
): Promise<ListedWithdrawal[]> {
  const { results } = await db
    .prepare(
      `WITH page AS (
         SELECT ${COLUMNS} FROM withdrawals
         WHERE user_id = ?1 AND (?2 IS NULL OR (created_at, id) < (?2, ?3)) AND (?5 IS NULL OR id = ?5)
         ORDER BY created_at DESC, id DESC LIMIT ?4)
       SELECT page.*, live.txid, live.block_height FROM page
       LEFT JOIN transactions AS live ON live.withdrawal_id = page.id AND live.state IN ('sent', 'mined')
       ORDER BY page.created_at DESC, page.id DESC`,
    )
    .bind(query.userId, query.after?.createdAt ?? null, query.after?.id ?? null, query.limit, query.id ?? null)
    .all<WithdrawalRow & { txid: string | null; block_height: number | null }>()
  return results.map(({ txid, block_height, ...row }) => ({
    ...toWithdrawal(row),
    txid: txid ?? undefined,
    blockHeight: block_height ?? undefined,
  }))
}

/**
 * Withdrawals without a live transaction that are to have one, the longest waiting first, or those from an id on.
 */
export async function selectUnsigned(
  db: D1Database,
  blockchain: Blockchain,
  limit: number,
  from?: string,
): Promise<Withdrawal[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM withdrawals WHERE blockchain = ? AND state IN ('waiting', 'sent') AND ending IS NULL
         AND NOT EXISTS (SELECT 1 FROM transactions WHERE withdrawal_id = withdrawals.id AND state != 'dead')
         ${from === undefined ? 'ORDER BY created_at' : 'AND id >= ? ORDER BY id'} LIMIT ?`,
    )
    .bind(blockchain, ...(from === undefined ? [] : [from]), limit)
    .all<WithdrawalRow>()
  return results.map(toWithdrawal)
}

/** Withdrawals that are to end once their coin is back in the wallet, the longest waiting first, or those from an id on. */
export async function selectEnding(
  db: D1Database,
  blockchain: Blockchain,
  limit: number,
  from?: string,
): Promise<Withdrawal[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM withdrawals WHERE blockchain = ? AND ending IS NOT NULL
         ${from === undefined ? 'ORDER BY since' : 'AND id >= ? ORDER BY id'} LIMIT ?`,
    )
    .bind(blockchain, ...(from === undefined ? [] : [from]), limit)
    .all<WithdrawalRow>()
  return results.map(toWithdrawal)
}

/** Coins of the wallet that withdrawals without a live transaction are tied to: nothing else may spend them. */
export async function selectTiedCoins(db: D1Database, blockchain: Blockchain): Promise<Pick<Coin, 'txid' | 'vout'>[]> {
  const { results } = await db
    .prepare(
      `SELECT coin_txid AS txid, coin_vout AS vout FROM withdrawals
       WHERE blockchain = ? AND state IN ('waiting', 'sent', 'failed') AND coin_txid IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM transactions WHERE withdrawal_id = withdrawals.id AND state != 'dead')
       LIMIT 1000`,
    )
    .bind(blockchain)
    .all<{ txid: string; vout: number }>()
  return results
}

/** The statement that selects a row where a withdrawal of a chain is on its way. */
export function selectOpenStatement(db: D1Database, blockchain: Blockchain): D1PreparedStatement {
  return db
    .prepare(`SELECT id FROM withdrawals WHERE blockchain = ? AND state IN ('waiting', 'sent', 'failed') LIMIT 1`)
    .bind(blockchain)
}

/** Withdrawals that these transactions pay. */
export async function selectWithdrawalsById(db: D1Database, ids: readonly string[]): Promise<Withdrawal[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM withdrawals WHERE id IN (SELECT value FROM json_each(?))`)
    .bind(JSON.stringify(ids))
    .all<WithdrawalRow>()
  return results.map(toWithdrawal)
}

/**
 * The statements that tie a withdrawal to a coin, with its first transaction. They fail their batch unless it is to have
 * one, and has no coin but this. `now` in milliseconds.
 */
export function tieWithdrawalStatements(db: D1Database, id: string, coin: Coin, now: number): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND state IN ('waiting', 'sent') AND ending IS NULL
         AND (coin_txid IS NULL OR (coin_txid = ? AND coin_vout = ?)))`,
      ...[id, coin.txid, coin.vout],
    ),
    db
      .prepare(
        `UPDATE withdrawals SET reason = NULL, since = NULL, coin_txid = ?, coin_vout = ?, coin_value = ?, coin_script = ?,
           released_at = IFNULL(released_at, ?) WHERE id = ?`,
      )
      .bind(coin.txid, coin.vout, coin.value.toString(), coin.script, now, id),
  ]
}

/**
 * The statements that leave a withdrawal that waits to an operator, and queue `event` for its user; they do nothing where it
 * does not wait. `now` in milliseconds.
 */
export function failWithdrawalStatements(
  db: D1Database,
  id: string,
  { reason, event }: { reason: string; event: NewEvent },
  now: number,
): D1PreparedStatement[] {
  const waits = `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND state IN ('waiting', 'sent'))`
  return [
    insertSelectedEventsStatement(db, `SELECT ?, ?, ?, ?, ? WHERE ${waits}`, [
      ...[event.userId, event.type, event.subject, event.data, event.at],
      id,
    ]),
    db
      .prepare(
        `UPDATE withdrawals SET state = 'failed', reason = ?, since = ? WHERE id = ? AND state IN ('waiting', 'sent')`,
      )
      .bind(reason, now, id),
  ]
}

/** The statements that let an operator send a failed withdrawal on its way again; they fail unless it is failed. */
export function retryWithdrawalStatements(db: D1Database, id: string): D1PreparedStatement[] {
  return [
    assertionStatement(db, `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND state = 'failed')`, id),
    db.prepare(`UPDATE withdrawals SET state = 'waiting', reason = NULL, since = NULL WHERE id = ?`).bind(id),
  ]
}

/** Withdrawals that are recorded as sent in one step. */
const SENT_PER_STEP = 20

/** Withdrawals whose transaction the node has accepted, and that are not recorded as sent yet; `txid` is that transaction's. */
export async function selectAcceptedPayouts(
  db: D1Database,
  blockchain: Blockchain,
): Promise<(Withdrawal & { txid: string })[]> {
  const columns = COLUMNS.replaceAll(/\w+/g, 'withdrawals.$&')
  const { results } = await db
    .prepare(
      `SELECT ${columns}, live.txid FROM withdrawals
       JOIN transactions AS live ON live.withdrawal_id = withdrawals.id AND live.state IN ('sent', 'mined')
       WHERE withdrawals.blockchain = ? AND withdrawals.state IN ('waiting', 'failed') LIMIT ${SENT_PER_STEP}`,
    )
    .bind(blockchain)
    .all<WithdrawalRow & { txid: string }>()
  return results.map((row) => ({ ...toWithdrawal(row), txid: row.txid }))
}

/** The statements that call a withdrawal sent; they fail when it is called so already. */
export function markWithdrawalSentStatements(db: D1Database, id: string): D1PreparedStatement[] {
  return [
    assertionStatement(db, `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND ${IS_UNSENT})`, id),
    db.prepare(`UPDATE withdrawals SET state = 'sent', reason = NULL, since = NULL WHERE id = ?`).bind(id),
  ]
}

/** Withdrawals confirmed in one step. */
const CONFIRMED_PER_STEP = 20

/** Withdrawals whose transaction is in a block at or below `height`, which are not called confirmed yet. */
export async function selectConfirmedPayouts(
  db: D1Database,
  blockchain: Blockchain,
  height: number,
): Promise<(Withdrawal & { txid: string })[]> {
  const columns = COLUMNS.replaceAll(/\w+/g, 'withdrawals.$&')
  const { results } = await db
    .prepare(
      `SELECT ${columns}, live.txid FROM withdrawals
       JOIN transactions AS live ON live.withdrawal_id = withdrawals.id AND live.state = 'mined' AND live.block_height <= ?
       WHERE withdrawals.blockchain = ? AND withdrawals.state = 'sent' LIMIT ${CONFIRMED_PER_STEP}`,
    )
    .bind(height, blockchain)
    .all<WithdrawalRow & { txid: string }>()
  return results.map((row) => ({ ...toWithdrawal(row), txid: row.txid }))
}

/** The statements that confirm a withdrawal; they fail unless its transaction is in a block at or below `height` still. */
export function confirmWithdrawalStatements(db: D1Database, id: string, height: number): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND state = 'sent') AND EXISTS (
         SELECT 1 FROM transactions WHERE withdrawal_id = ? AND state = 'mined' AND block_height <= ?)`,
      ...[id, id, height],
    ),
    db.prepare(`UPDATE withdrawals SET state = 'confirmed', reason = NULL, since = NULL WHERE id = ?`).bind(id),
  ]
}

/**
 * The statements that delete failed records of withdrawals that have gone on: refusals by the node of one that a block holds
 * by now, and failures to sign or to end one that is neither to be signed nor to end any more.
 */
export function deleteOutdatedFailuresStatements(db: D1Database, blockchain: Blockchain): D1PreparedStatement[] {
  return [
    deleteFailedWhereStatement(
      db,
      `blockchain = ? AND kind = 'refused' AND EXISTS (
         SELECT 1 FROM withdrawals WHERE withdrawals.id = failed_records.id AND (state = 'confirmed' OR EXISTS (
           SELECT 1 FROM transactions WHERE withdrawal_id = withdrawals.id AND transactions.state = 'mined')))`,
      blockchain,
    ),
    deleteFailedWhereStatement(
      db,
      `blockchain = ? AND kind = 'withdrawal' AND NOT EXISTS (
         SELECT 1 FROM withdrawals WHERE withdrawals.id = failed_records.id AND (ending IS NOT NULL
           OR state IN ('waiting', 'sent') AND NOT EXISTS (
             SELECT 1 FROM transactions WHERE withdrawal_id = withdrawals.id AND transactions.state != 'dead')))`,
      blockchain,
    ),
  ]
}

/**
 * The statements for a rollback, before those of the transactions: withdrawals that transactions above `height` pay are `sent` again,
 * and what spends the coin of one that ends is counted anew.
 */
export function unconfirmWithdrawalsAboveStatements(
  db: D1Database,
  blockchain: Blockchain,
  height: number,
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `UPDATE withdrawals SET state = 'sent' WHERE state = 'confirmed' AND id IN (
           SELECT withdrawal_id FROM transactions WHERE blockchain = ? AND block_height > ? AND dead = 0 AND state = 'mined')`,
      )
      .bind(blockchain, height),
    db
      .prepare(
        'UPDATE withdrawals SET spent_height = NULL WHERE blockchain = ? AND ending IS NOT NULL AND spent_height > ?',
      )
      .bind(blockchain, height),
  ]
}
