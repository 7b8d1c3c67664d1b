import { SCOPES, type Scope } from '../../../../contract/scopes.ts'
import { BLOCKCHAINS, type Blockchain } from '../../../../protocol/chains.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { type Row, readTexts, rowReader } from '../../../platform/d1/row-reader.ts'
import { assertEpochStatement, insertMadeStatements } from './credentials.ts'
import { KEYS_USED } from './quotas.ts'
import type { User } from './users.ts'

/** The most base units that a key may spend of a chain on a UTC day; a chain that is not named is not spent from. */
export type Spending = Partial<Record<Blockchain, bigint>>

/** A key for programs, without the key itself; times in milliseconds. */
export interface ApiKey {
  id: string
  userId: string
  name: string
  scopes: Scope[]
  /** `undefined`: no limit. */
  spending: Spending | undefined
  createdAt: number
  /** `undefined`: it does not end. */
  expiresAt: number | undefined
  /** To the minute; `undefined`: it was never used. */
  lastUsedAt: number | undefined
}

type KeyRow = Omit<Row<ApiKey>, 'spending'> & { spending: string | null }

const COLUMNS = `api_keys.id, user_id, name, scopes, spending, api_keys.created_at, expires_at, last_used_at`

const toKeyWithout = rowReader<Omit<ApiKey, 'spending'>>({
  scopes: (json) => SCOPES.filter((scope) => readTexts(json).includes(scope)),
})

function toKey({ spending, ...row }: KeyRow): ApiKey {
  return { ...toKeyWithout(row), spending: spending === null ? undefined : toSpending(JSON.parse(spending)) }
}

function toSpending(limits: Record<string, unknown>): Spending {
  const spending: Spending = {}
  for (const blockchain of BLOCKCHAINS) {
    const limit = limits[blockchain]
    if (typeof limit === 'string') spending[blockchain] = BigInt(limit)
  }
  return spending
}

/**
 * The statements that write a key in place of the account's expired ones. They fail their batch when the account has
 * `most` already, or when its tokens were ended since `epoch` was read.
 */
export function insertApiKeyStatements(
  db: D1Database,
  key: Omit<ApiKey, 'lastUsedAt'> & { hash: string },
  { most, epoch }: { most: number; epoch: number },
): D1PreparedStatement[] {
  const spending = key.spending && Object.entries(key.spending).map(([chain, units]) => [chain, units.toString()])
  return [
    db.prepare('DELETE FROM api_keys WHERE user_id = ? AND expires_at <= ?').bind(key.userId, key.createdAt),
    assertionStatement(db, `${KEYS_USED.keys('?')} < ?`, key.userId, most),
    assertEpochStatement(db, key.userId, epoch),
    db
      .prepare(
        `INSERT INTO api_keys (id, user_id, name, hash, scopes, spending, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .bind(
        ...[key.id, key.userId, key.name, key.hash, JSON.stringify(key.scopes)],
        ...[spending ? JSON.stringify(Object.fromEntries(spending)) : null, key.createdAt, key.expiresAt ?? null],
      ),
    ...insertMadeStatements(db, 'key', key),
  ]
}

/** Who a key acts for. */
export type KeyOwner = Pick<User, 'id' | 'email' | 'firstName' | 'lastName' | 'role' | 'status' | 'tokenEpoch'>

const toOwner = rowReader<KeyOwner>({})

/** The live key with this hash, with its account. */
export async function selectApiKeyByHash(
  db: D1Database,
  hash: string,
  now: number,
): Promise<{ key: ApiKey; user: KeyOwner } | undefined> {
  const row = await db
    .prepare(
      `SELECT ${COLUMNS}, email, first_name, last_name, role, status, token_epoch
       FROM api_keys JOIN users ON users.id = api_keys.user_id
       WHERE hash = ? AND (expires_at IS NULL OR expires_at > ?)`,
    )
    .bind(hash, now)
    .first<KeyRow & Row<Omit<KeyOwner, 'id'>>>()
  if (!row) return undefined
  const { email, first_name, last_name, role, status, token_epoch, ...key } = row
  return {
    key: toKey(key),
    user: toOwner({ id: key.user_id, email, first_name, last_name, role, status, token_epoch }),
  }
}

/** The keys of an account, newest first; its quota bounds them. */
export async function selectApiKeys(db: D1Database, userId: string): Promise<ApiKey[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM api_keys WHERE user_id = ? ORDER BY created_at DESC, id LIMIT 1000`)
    .bind(userId)
    .all<KeyRow>()
  return results.map(toKey)
}

/** Writes down that a key was used, at most once a minute. */
export async function updateLastUsed(db: D1Database, id: string, now: number): Promise<void> {
  await db
    .prepare(
      'UPDATE api_keys SET last_used_at = ?1 WHERE id = ?2 AND (last_used_at IS NULL OR last_used_at <= ?1 - 60000)',
    )
    .bind(now, id)
    .run()
}

/** The UTC day of a time in milliseconds, as days since 1970. */
export function dayOf(time: number): number {
  return Math.floor(time / 86_400_000)
}

/** What a live key has spent of a chain on a day, in base units; `undefined` when it does not live. */
export async function selectSpent(
  db: D1Database,
  at: { keyId: string; blockchain: Blockchain; day: number },
  now: number,
): Promise<bigint | undefined> {
  const row = await db
    .prepare(
      `SELECT IFNULL(amount, '0') AS amount FROM api_keys
       LEFT JOIN api_key_spending ON key_id = api_keys.id AND blockchain = ? AND day = ?
       WHERE id = ? AND (expires_at IS NULL OR expires_at > ?)`,
    )
    .bind(at.blockchain, at.day, at.keyId, now)
    .first<{ amount: string }>()
  return row ? BigInt(row.amount) : undefined
}

/**
 * The statements that write down what a key has spent. They fail their batch when it was revoked, by the foreign key, or has
 * spent something else than `spent` meanwhile.
 */
export function spendStatements(
  db: D1Database,
  at: { keyId: string; blockchain: Blockchain; day: number },
  { spent, amount }: { spent: bigint; amount: bigint },
): D1PreparedStatement[] {
  const { keyId, blockchain, day } = at
  return [
    assertionStatement(
      db,
      `IFNULL((SELECT amount FROM api_key_spending WHERE key_id = ? AND blockchain = ? AND day = ?), '0') = ?`,
      keyId,
      blockchain,
      day,
      spent.toString(),
    ),
    db
      .prepare(
        `INSERT INTO api_key_spending (key_id, blockchain, day, amount) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (key_id, blockchain, day) DO UPDATE SET amount = excluded.amount`,
      )
      .bind(keyId, blockchain, day, (spent + amount).toString()),
  ]
}
