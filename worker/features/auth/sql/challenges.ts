import type { AnsweredChallenge } from '../challenge.ts'

/** The statement that uses a challenge up; it fails its batch when that was done before. */
export function useChallengeStatement(
  db: D1Database,
  { challenge, expiresAt }: AnsweredChallenge,
): D1PreparedStatement {
  return db.prepare('INSERT INTO passkey_challenges (challenge, expires_at) VALUES (?, ?)').bind(challenge, expiresAt)
}
