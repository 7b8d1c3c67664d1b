import type { Config } from '../../platform/config/config.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { countLogin } from './count-attempt.ts'
import { type HashQueue, withHashSlot } from './hash-slots.ts'
import { DECOY_HASH, hashPassword, isOutdated, matchesHash, missingPepper } from './password-hash.ts'
import { checkProof, proofNeeded, QUEUE_FULL } from './proof.ts'
import { deleteAttempt, updateAttempt } from './sql/attempts.ts'
import { useChallengeStatement } from './sql/challenges.ts'
import { type User, updatePasswordHash } from './sql/users.ts'

/** A password that somebody typed, and who that seems to be. */
export interface PasswordAttempt {
  email: string
  password: string
  client: Client
  /** The device that the account is known on. */
  known?: string | undefined
  /** With a link that was mailed to the account, which counts as a proof. */
  byLink?: true
}

type Service = Pick<Config, 'passwordPeppers' | 'tokenKeys'>

/**
 * Whether `password` is that of `user`. An address without an account costs the same attempt and the same hash, and so
 * does a user whose hash names a pepper that is gone: that is a wrong password to them, and a line in the log.
 * @throws {AppError} 429 after too many failures; 429 `proof_needed` after too many of others, and where too many hashes
 *   wait; 503 where even those with a proof wait.
 */
export async function checkPassword(
  db: D1Database,
  service: Service,
  given: PasswordAttempt,
  user: User | undefined,
  now: number,
): Promise<boolean> {
  const { tokenKeys, passwordPeppers: peppers } = service
  const proof = await checkProof(tokenKeys, given, now)
  const proven = proof !== undefined || given.byLink === true
  const counted = await countLogin(db, { ...given, proven }, now)
  if ('proofIn' in counted) throw await proofNeeded(tokenKeys, given, counted, now)
  const { id: attempt, left } = counted
  const isKnown = given.known !== undefined || given.byLink === true
  const queue: HashQueue = proof ? 'proven' : isKnown ? 'known' : 'login'
  let matches: boolean
  try {
    // A proof is good once, and before the work that it was requested for.
    if (proof && !(await batchIf(db, [useChallengeStatement(db, proof)])))
      throw await proofNeeded(tokenKeys, given, QUEUE_FULL, now)
    const compare = () => matchesHash(given.password, user?.passwordHash ?? DECOY_HASH, peppers)
    matches = await withHashSlot(queue, compare, given.client.address)
  } catch (error) {
    await deleteAttempt(db, attempt)
    const isFull = error instanceof AppError && error.code === 'busy'
    throw isFull && !proof ? await proofNeeded(tokenKeys, given, QUEUE_FULL, now) : error
  }
  if (!matches || !user) {
    const missing = user && missingPepper(user.passwordHash, peppers)
    if (missing) console.error('pepper_missing', missing, `needed for the password of user ${user.id}`)
    await updateAttempt(db, attempt)
    given.client.tell(left)
    return false
  }
  await deleteAttempt(db, attempt)
  given.client.tell({ ...left, left: left.left + 1 })
  if (isOutdated(user.passwordHash, peppers)) await renewHash(db, user, () => hashPassword(given.password, peppers))
  return true
}

/** Where many hashes wait, the next login does it. */
async function renewHash(db: D1Database, user: User, hash: () => string): Promise<void> {
  try {
    await updatePasswordHash(db, user.id, user.passwordHash, await withHashSlot('login', hash))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    console.info('hash_not_renewed', error.code)
  }
}
