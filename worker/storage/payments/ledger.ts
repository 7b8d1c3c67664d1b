import { BLOCKCHAINS, type Blockchain, eachChain } from '../../../protocol/chains.ts'

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
 * `tail` was read, when a cause was used before, or when the balance would fall below zero.
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
       SELECT ?, ?, value ->> 'seq', value ->> 'amount', value ->> 'balance', value ->> 'cause', ?
       FROM json_each(?)`,
    )
    .bind(account.userId, account.blockchain, now, JSON.stringify(entries))
}

/** When a request was paid from the ledger, in milliseconds. */
export async function selectSettledAt(
  db: D1Database,
  request: { id: string; userId: string; blockchain: Blockchain },
): Promise<number | undefined> {
  const row = await db
    .prepare('SELECT created_at FROM ledger WHERE user_id = ? AND blockchain = ? AND cause = ?')
    .bind(request.userId, request.blockchain, `request:${request.id}`)
    .first<{ created_at: number }>()
  return row?.created_at
}

/**
 * Money credited to a user whose transaction is not on the best chain now: it can't be spent until it is mined
 * again.
 */
export async function selectSuspended(db: D1Database, userId: string, blockchain: Blockchain): Promise<bigint> {
  const { results } = await db
    .prepare(
      // From the few outputs that are off the chain, not from all the addresses that a user ever had.
      `SELECT outputs.amount FROM outputs INDEXED BY outputs_suspended
       CROSS JOIN addresses ON addresses.blockchain = outputs.blockchain AND addresses.address = outputs.address
       WHERE addresses.user_id = ? AND outputs.blockchain = ? AND credited = 1 AND block_height IS NULL`,
    )
    .bind(userId, blockchain)
    .all<{ amount: string }>()
  return results.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

/** What a user can spend on each chain, in base units. */
export async function selectBalances(db: D1Database, userId: string): Promise<Record<Blockchain, bigint>> {
  const balances = eachChain(() => 0n)
  for (const blockchain of BLOCKCHAINS) {
    const { balance } = await selectLedgerTail(db, userId, blockchain)
    const spendable = balance - (await selectSuspended(db, userId, blockchain))
    balances[blockchain] = spendable > 0n ? spendable : 0n
  }
  return balances
}
