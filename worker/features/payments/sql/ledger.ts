import { BLOCKCHAINS, type Blockchain, eachChain } from '../../../../protocol/chains.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import type { Output } from './outputs.ts'

/** Where a user's ledger of one chain ends. */
export interface LedgerTail {
  seq: number
  balance: bigint
}

/** Money moved, in base units: positive in, negative out. `cause` moves it once, ever. */
export interface LedgerMove {
  amount: bigint
  cause: string
}

/** The move that credits an output. An output that was written off and is back has another cause. Pure. */
export function creditOf(output: Pick<Output, 'txid' | 'vout' | 'amount' | 'writtenOff'>): LedgerMove {
  return { amount: output.amount, cause: `output:${nameOf(output)}` }
}

/**
 * The moves that reverse the credit of an output, for a balance of `balance`. What the balance lacks is booked first,
 * as a loss of the service. Pure.
 */
export function writeOffOf(
  output: Pick<Output, 'txid' | 'vout' | 'amount' | 'writtenOff'>,
  balance: bigint,
): { loss: bigint; moves: LedgerMove[] } {
  const name = nameOf(output)
  const loss = output.amount > balance ? output.amount - balance : 0n
  return {
    loss,
    moves: [
      ...(loss > 0n ? [{ amount: loss, cause: `loss:${name}` }] : []),
      { amount: -output.amount, cause: `write-off:${name}` },
    ],
  }
}

function nameOf({ txid, vout, writtenOff }: Pick<Output, 'txid' | 'vout' | 'writtenOff'>): string {
  return writtenOff === 0 ? `${txid}:${vout}` : `${txid}:${vout}:${writtenOff}`
}

/** The end of a user's ledger of one chain; zero when nothing was ever moved. */
export async function selectLedgerTail(db: D1Database, userId: string, blockchain: Blockchain): Promise<LedgerTail> {
  const row = await db
    .prepare('SELECT seq, balance FROM ledger WHERE user_id = ? AND blockchain = ? ORDER BY seq DESC LIMIT 1')
    .bind(userId, blockchain)
    .first<{ seq: number; balance: string }>()
  return { seq: row?.seq ?? 0, balance: BigInt(row?.balance ?? 0) }
}

/**
 * The statement that appends `moves`, in order, behind `tail`. It fails its batch when the ledger has grown since
 * `tail` was read, or was restored to a time before, when a cause was used before, or when the balance would fall below zero.
 */
export function insertLedgerStatement(
  db: D1Database,
  account: { userId: string; blockchain: Blockchain },
  tail: LedgerTail,
  moves: readonly LedgerMove[],
  now: number,
): D1PreparedStatement {
  let { seq, balance } = tail
  const entries = moves.map(({ amount, cause }) => {
    seq++
    balance += amount
    return { seq, amount: amount.toString(), balance: balance.toString(), cause }
  })
  return db
    .prepare(
      `INSERT INTO ledger (user_id, blockchain, seq, amount, balance, cause, created_at)
       SELECT ?1, ?2, IIF(?3 = 0 OR EXISTS (
           SELECT 1 FROM ledger WHERE user_id = ?1 AND blockchain = ?2 AND seq = ?3 AND balance = ?4), value ->> 'seq', NULL),
         value ->> 'amount', value ->> 'balance', value ->> 'cause', ?5
       FROM json_each(?6)`,
    )
    .bind(account.userId, account.blockchain, tail.seq, tail.balance.toString(), now, JSON.stringify(entries))
}

/** Whether the user's ledger has an entry on any chain. */
export async function hasPaid(db: D1Database, userId: string): Promise<boolean> {
  return (await db.prepare('SELECT 1 FROM ledger WHERE user_id = ? LIMIT 1').bind(userId).first()) !== null
}

/** In SQL, outputs with their addresses: from the few that are off the chain, not from all the addresses that a user ever had. */
const SUSPENDED = `FROM outputs INDEXED BY outputs_suspended
  CROSS JOIN addresses ON addresses.blockchain = outputs.blockchain AND addresses.address = outputs.address`

/**
 * Money credited to a user whose transaction is not on the best chain now: it can't be spent until it is mined
 * again.
 */
export async function selectSuspended(db: D1Database, userId: string, blockchain: Blockchain): Promise<bigint> {
  const { results } = await db
    .prepare(
      `SELECT outputs.amount ${SUSPENDED}
       WHERE addresses.user_id = ? AND outputs.blockchain = ? AND credited = 1 AND block_height IS NULL`,
    )
    .bind(userId, blockchain)
    .all<{ amount: string }>()
  return results.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

/**
 * What is left of the balances of those who made these requests, by the request's id, in base units: without what is off the chain now,
 * and what was booked as a loss since the request was debited, for a deposit that was written off and that the balance lacked. Below
 * zero where a balance does not cover these. Three queries, however many requests: each of a hundred users would take three.
 */
export async function selectLeft(
  db: D1Database,
  blockchain: Blockchain,
  requests: readonly { id: string; userId: string }[],
): Promise<Map<string, bigint>> {
  const left = new Map<string, bigint>()
  if (requests.length === 0) return left
  const asked = JSON.stringify(requests.map(({ id, userId }) => ({ id, userId })))
  const [balances, ...losses] = await db.batch<{ id: string; amount: string | null }>(
    [
      `SELECT value ->> 'id' AS id, (
         SELECT balance FROM ledger WHERE user_id = asked.value ->> 'userId' AND blockchain = ?1
         ORDER BY seq DESC LIMIT 1) AS amount FROM json_each(?2) AS asked`,
      `SELECT value ->> 'id' AS id, outputs.amount ${SUSPENDED}
       CROSS JOIN json_each(?2) AS asked ON asked.value ->> 'userId' = addresses.user_id
       WHERE outputs.blockchain = ?1 AND credited = 1 AND block_height IS NULL`,
      `SELECT value ->> 'id' AS id, ledger.amount FROM ledger
       CROSS JOIN json_each(?2) AS asked ON asked.value ->> 'userId' = ledger.user_id
       WHERE blockchain = ?1 AND cause >= 'loss:' AND cause < 'loss;' AND seq > IFNULL((
         SELECT seq FROM ledger WHERE blockchain = ?1 AND cause = 'request:' || (asked.value ->> 'id')), 0)`,
    ].map((sql) => db.prepare(sql).bind(blockchain, asked)),
  )
  for (const { id, amount } of balances?.results ?? []) left.set(id, BigInt(amount ?? 0))
  for (const { id, amount } of losses.flatMap(({ results }) => results)) {
    left.set(id, (left.get(id) ?? 0n) - BigInt(amount ?? 0))
  }
  return left
}

/**
 * The statement that fails its batch unless `left` base units of a balance cover what of it is off the chain at that moment: what
 * {@link selectSuspended} found may have grown since.
 */
export function assertCoveredStatement(
  db: D1Database,
  { userId, blockchain }: { userId: string; blockchain: Blockchain },
  left: bigint,
): D1PreparedStatement {
  return assertionStatement(
    db,
    // A total that passes what an integer of SQLite holds is rounded, and no error.
    `(SELECT TOTAL(CAST(outputs.amount AS INTEGER)) ${SUSPENDED}
      WHERE addresses.user_id = ? AND outputs.blockchain = ? AND credited = 1 AND block_height IS NULL)
     <= CAST(? AS INTEGER)`,
    ...[userId, blockchain, left.toString()],
  )
}

/** Money on its way to a user that is seen and not credited yet, on each chain, in base units. */
export async function selectPending(db: D1Database, userId: string): Promise<Record<Blockchain, bigint>> {
  const pending = eachChain(() => 0n)
  for (const blockchain of BLOCKCHAINS) {
    const { results } = await db
      .prepare(
        // From the outputs that are open, not from all the addresses that a user ever had.
        `SELECT outputs.amount FROM outputs INDEXED BY outputs_open
         CROSS JOIN addresses ON addresses.blockchain = outputs.blockchain AND addresses.address = outputs.address
         WHERE addresses.user_id = ? AND outputs.blockchain = ? AND credited = 0 AND dropped = 0
           AND (in_mempool = 1 OR block_height IS NOT NULL)`,
      )
      .bind(userId, blockchain)
      .all<{ amount: string }>()
    for (const { amount } of results) pending[blockchain] += BigInt(amount)
  }
  return pending
}

/**
 * What a user can spend on each chain, in base units, and how much of the balance is suspended because its transactions
 * are off the best chain.
 */
export async function selectMoney(
  db: D1Database,
  userId: string,
): Promise<Record<Blockchain, { spendable: bigint; suspended: bigint }>> {
  const money = eachChain(() => ({ spendable: 0n, suspended: 0n }))
  for (const blockchain of BLOCKCHAINS) {
    const { balance } = await selectLedgerTail(db, userId, blockchain)
    const left = balance - (await selectSuspended(db, userId, blockchain))
    const mine = money[blockchain]
    if (left > 0n) mine.spendable += left
    mine.suspended += balance - mine.spendable
  }
  return money
}

/** What a user can spend on each chain, in base units. */
export async function selectBalances(db: D1Database, userId: string): Promise<Record<Blockchain, bigint>> {
  const money = await selectMoney(db, userId)
  return eachChain((blockchain) => money[blockchain].spendable)
}

/** What the ledger was debited for a withdrawal, its fee and what its owner consented to later included; base units. */
export async function selectDebited(
  db: D1Database,
  { id, userId, blockchain }: { id: string; userId: string; blockchain: Blockchain },
): Promise<bigint> {
  const { results } = await db
    .prepare(
      `SELECT amount FROM ledger WHERE user_id = ?1 AND blockchain = ?2 AND (
         cause IN ('withdrawal:' || ?3, 'withdrawal-fee:' || ?3)
         OR (cause >= 'withdrawal-fee:' || ?3 || ':' AND cause < 'withdrawal-fee:' || ?3 || ';'))`,
    )
    .bind(userId, blockchain, id)
    .all<{ amount: string }>()
  return results.reduce((sum, { amount }) => sum - BigInt(amount), 0n)
}
