import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { type Row, readTexts, rowReader } from '../../../platform/d1/row-reader.ts'
import type { AnsweredChallenge } from '../challenge.ts'
import { useChallengeStatement } from '../sql/challenges.ts'
import { assertEpochStatement, insertMadeStatements } from '../sql/credentials.ts'

/** A passkey of an account (WebAuthn Level 3); times in milliseconds. */
export interface Passkey {
  id: string
  userId: string
  name: string
  /** base64url. */
  credentialId: string
  /** COSE key, base64url. */
  publicKey: string
  counter: number
  transports: string[]
  createdAt: number
  lastUsedAt: number | undefined
}

const COLUMNS = `id, user_id, name, credential_id, public_key, counter, transports, created_at, last_used_at`

const toPasskey = rowReader<Passkey>({ transports: readTexts })

/**
 * The statements that write a passkey. They fail their batch when its challenge was used, when the account has `most`
 * already or its tokens were ended since `epoch` was read, and when anybody has that credential.
 */
export function insertPasskeyStatements(
  db: D1Database,
  passkey: Omit<Passkey, 'lastUsedAt'>,
  challenge: AnsweredChallenge,
  { most, epoch }: { most: number; epoch: number },
): D1PreparedStatement[] {
  const { id, userId, name, credentialId, publicKey, counter, transports, createdAt } = passkey
  return [
    useChallengeStatement(db, challenge),
    assertionStatement(db, '(SELECT COUNT(*) FROM passkeys WHERE user_id = ?) < ?', userId, most),
    assertEpochStatement(db, userId, epoch),
    db
      .prepare(
        `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, counter, transports, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .bind(id, userId, name, credentialId, publicKey, counter, JSON.stringify(transports), createdAt),
    ...insertMadeStatements(db, 'passkey', passkey),
  ]
}

/** The passkey of this credential. */
export async function selectPasskeyByCredential(db: D1Database, credentialId: string): Promise<Passkey | undefined> {
  const statement = db.prepare(`SELECT ${COLUMNS} FROM passkeys WHERE credential_id = ?`)
  const row = await statement.bind(credentialId).first<Row<Passkey>>()
  return row ? toPasskey(row) : undefined
}

/** The passkeys of an account, newest first; the number that one may have bounds them. */
export async function selectPasskeys(db: D1Database, userId: string): Promise<Passkey[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM passkeys WHERE user_id = ? ORDER BY created_at DESC, id LIMIT 100`)
    .bind(userId)
    .all<Row<Passkey>>()
  return results.map(toPasskey)
}

/**
 * The statements that write down that a passkey was used. They fail their batch when the challenge was used before, or
 * the passkey was removed or used by another request since it was read.
 */
export function usePasskeyStatements(
  db: D1Database,
  passkey: Pick<Passkey, 'id' | 'counter'>,
  challenge: AnsweredChallenge,
  counter: number,
  now: number,
): D1PreparedStatement[] {
  return [
    useChallengeStatement(db, challenge),
    assertionStatement(db, 'EXISTS (SELECT 1 FROM passkeys WHERE id = ? AND counter = ?)', passkey.id, passkey.counter),
    db.prepare('UPDATE passkeys SET counter = ?, last_used_at = ? WHERE id = ?').bind(counter, now, passkey.id),
  ]
}
