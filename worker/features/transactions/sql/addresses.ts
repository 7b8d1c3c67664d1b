import type { Blockchain } from '../../../../protocol/chains.ts'
import { firstRow } from '../../../platform/d1/first-row.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { inParts } from '../../../platform/d1/in-parts.ts'
import type { UsedSql } from '../../auth/sql/quotas.ts'

/** An address of ours; `script` in hex. */
export interface Address {
  blockchain: Blockchain
  address: string
  script: string
  userId: string
  kind: 'request' | 'deposit'
  state: 'current' | 'discarded' | 'retired'
}

const COLUMNS = 'blockchain, address, script, user_id AS userId, kind, state'

/** The statement that records a new address. One that nobody requested `replaces` another, which was used. */
export function insertAddressStatement(
  db: D1Database,
  row: Omit<Address, 'state'> & { replaces?: string },
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO addresses (blockchain, address, script, user_id, kind, state, created_at, replaces)
       VALUES (?, ?, ?, ?, ?, 'current', ?, ?)`,
    )
    .bind(row.blockchain, row.address, row.script, row.userId, row.kind, now, row.replaces ?? null)
}

/**
 * The statement that records again an address that the database has lost. Money that it receives becomes balance. `now`
 * in milliseconds.
 */
export function insertLostAddressStatement(
  db: D1Database,
  row: Pick<Address, 'blockchain' | 'address' | 'script' | 'userId' | 'kind'>,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO addresses (blockchain, address, script, user_id, kind, state, created_at)
       VALUES (?, ?, ?, ?, ?, 'retired', ?) ON CONFLICT DO NOTHING`,
    )
    .bind(row.blockchain, row.address, row.script, row.userId, row.kind, now)
}

/** The statement after which no deposit address of the user on this chain is current. */
export function discardDepositAddressStatement(
  db: D1Database,
  userId: string,
  blockchain: Blockchain,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE addresses SET state = 'discarded'
       WHERE blockchain = ? AND user_id = ? AND kind = 'deposit' AND state = 'current'`,
    )
    .bind(blockchain, userId)
}

/** The statement that retires a deposit address that received money. */
export function retireAddressStatement(db: D1Database, blockchain: Blockchain, address: string): D1PreparedStatement {
  return db
    .prepare(`UPDATE addresses SET state = 'retired' WHERE blockchain = ? AND address = ? AND state = 'current'`)
    .bind(blockchain, address)
}

/** What a user has used of deposit addresses. */
export const ADDRESSES_USED: UsedSql<'unusedAddresses'> = {
  unusedAddresses: (user) => `(SELECT COUNT(*) FROM addresses AS held
    WHERE held.user_id = ${user} AND held.kind = 'deposit' AND held.replaces IS NULL AND NOT EXISTS (
      SELECT 1 FROM outputs WHERE outputs.blockchain = held.blockchain AND outputs.address = held.address))`,
}

const DEPOSITS_SINCE = `SELECT COUNT(*) AS n FROM addresses
  WHERE user_id = ? AND kind = 'deposit' AND created_at > ? AND replaces IS NULL`

/** The statement that fails its batch if the user has requested `most` deposit addresses or more since `since`. */
export function assertFewDepositAddressesStatement(
  db: D1Database,
  userId: string,
  since: number,
  most: number,
): D1PreparedStatement {
  return assertionStatement(db, `(${DEPOSITS_SINCE}) < ?`, userId, since, most)
}

/** The statement that fails its batch if the user has `most` or more deposit addresses to which nothing was sent. */
export function assertUnusedAddressesStatement(db: D1Database, userId: string, most: number): D1PreparedStatement {
  return assertionStatement(db, `${ADDRESSES_USED.unusedAddresses('?')} < ?`, userId, most)
}

/** The number of deposit addresses that the user has requested since `since` (milliseconds), over all chains. */
export async function selectDepositAddressCount(db: D1Database, userId: string, since: number): Promise<number> {
  return (await firstRow<{ n: number }>(db.prepare(DEPOSITS_SINCE).bind(userId, since))).n
}

/** The current deposit address of the user on each chain. */
export async function selectDepositAddresses(
  db: D1Database,
  userId: string,
): Promise<Partial<Record<Blockchain, string>>> {
  const { results } = await db
    .prepare(`SELECT blockchain, address FROM addresses WHERE user_id = ? AND kind = 'deposit' AND state = 'current'`)
    .bind(userId)
    .all<{ blockchain: Blockchain; address: string }>()
  return Object.fromEntries(results.map(({ blockchain, address }) => [blockchain, address]))
}

/** A deposit address that was issued to this user, on any chain; `createdAt` in milliseconds. */
export async function selectOwnDepositAddress(
  db: D1Database,
  userId: string,
  address: string,
): Promise<{ address: string; blockchain: Blockchain; createdAt: number } | undefined> {
  const row = await db
    .prepare(
      `SELECT address, blockchain, created_at AS createdAt FROM addresses
       WHERE user_id = ? AND kind = 'deposit' AND address = ?`,
    )
    .bind(userId, address)
    .first<{ address: string; blockchain: Blockchain; createdAt: number }>()
  return row ?? undefined
}

/** The oldest and the newest issued address; empty if there are none. */
export async function selectOutermostAddresses(db: D1Database, blockchain: Blockchain): Promise<string[]> {
  const found: string[] = []
  for (const order of ['ASC', 'DESC']) {
    const row = await db
      .prepare(`SELECT address FROM addresses WHERE blockchain = ? ORDER BY created_at ${order} LIMIT 1`)
      .bind(blockchain)
      .first<{ address: string }>()
    if (row) found.push(row.address)
  }
  return found
}

/**
 * How many of the newest addresses of a chain, at most `limit`, were issued after the newest one that was paid in a
 * block.
 */
export async function selectUnpaidInRow(db: D1Database, blockchain: Blockchain, limit: number): Promise<number> {
  // Without `INDEXED BY` the planner, which has no statistics, reads for each address every output of the chain that is
  // in a block.
  const statement = db
    .prepare(
      `SELECT IFNULL(MIN(IIF(paid, place, NULL)) - 1, COUNT(*)) AS n FROM (
         SELECT ROW_NUMBER() OVER (ORDER BY created_at DESC) AS place, EXISTS (
           SELECT 1 FROM outputs INDEXED BY outputs_by_address WHERE outputs.blockchain = newest.blockchain
             AND outputs.address = newest.address AND block_height IS NOT NULL) AS paid
         FROM (SELECT * FROM addresses WHERE blockchain = ? ORDER BY created_at DESC LIMIT ?) AS newest)`,
    )
    .bind(blockchain, limit)
  return (await firstRow<{ n: number }>(statement)).n
}

/** Those of `addresses` that are ours. */
export async function selectAddresses(
  db: D1Database,
  blockchain: Blockchain,
  addresses: readonly string[],
): Promise<Address[]> {
  return await selectBy(db, blockchain, 'address', addresses)
}

/** Those of `scripts` that are ours. */
export async function selectAddressesByScript(
  db: D1Database,
  blockchain: Blockchain,
  scripts: readonly string[],
): Promise<Address[]> {
  return await selectBy(db, blockchain, 'script', scripts)
}

async function selectBy(
  db: D1Database,
  blockchain: Blockchain,
  column: 'address' | 'script',
  values: readonly string[],
): Promise<Address[]> {
  const found: Address[] = []
  for (const part of inParts(values)) {
    const { results } = await db
      .prepare(
        `SELECT ${COLUMNS} FROM addresses WHERE blockchain = ? AND ${column} IN (SELECT value FROM json_each(?))`,
      )
      .bind(blockchain, JSON.stringify(part))
      .all<Address>()
    found.push(...results)
  }
  return found
}

/**
 * At most `limit` deposit addresses that are still shown to their users and have received money: recently, or before
 * the wallet could make another one.
 */
export async function selectUsedDepositAddresses(
  db: D1Database,
  blockchain: Blockchain,
  limit: number,
): Promise<Address[]> {
  const { results } = await db
    .prepare(
      // From the few outputs that are open, not from all the addresses there are.
      `SELECT ${COLUMNS.replaceAll(/\b(blockchain|address)\b/g, 'addresses.$1')} FROM (
         SELECT address AS used FROM outputs WHERE blockchain = ?1 AND credited = 0 AND dropped = 0
         UNION SELECT id FROM failed_records WHERE blockchain = ?1 AND kind = 'address')
       CROSS JOIN addresses ON addresses.blockchain = ?1 AND addresses.address = used
       WHERE kind = 'deposit' AND state = 'current' LIMIT ?2`,
    )
    .bind(blockchain, limit)
    .all<Address>()
  return results
}
