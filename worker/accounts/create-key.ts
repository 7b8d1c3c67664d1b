import { hashApiKey, newApiKey } from '../auth/api-key.ts'
import type { Caller } from '../auth/find-caller.ts'
import { tokenEnded } from '../auth/unauthorized.ts'
import type { Config } from '../config/config.ts'
import { type ApiKey, insertApiKeyStatements } from '../storage/accounts/api-keys.ts'
import { batchIf } from '../storage/guarded-batch.ts'
import { quotaRefusal } from './quotas.ts'

/**
 * Makes a key for programs; it is in this answer and nowhere else. `now` in milliseconds.
 * @throws {AppError} 409 past the quota.
 */
export async function createKey(
  { db, quotas }: { db: D1Database; quotas: Config['quotas'] },
  caller: Pick<Caller, 'userId' | 'tokenEpoch'>,
  given: Pick<ApiKey, 'name' | 'scopes' | 'expiresAt' | 'spending'>,
  now: number,
): Promise<{ id: string; key: string }> {
  const id = crypto.randomUUID()
  const key = newApiKey()
  const hash = await hashApiKey(key)
  if (hash === undefined) throw new Error('A new key does not have the shape of one.')
  const row = { ...given, id, hash, userId: caller.userId, createdAt: now }
  const guard = { most: quotas.keys, epoch: caller.tokenEpoch }
  if (await batchIf(db, insertApiKeyStatements(db, row, guard))) return { id, key }
  // Past the quota, or closed or reset by another request, which ended the token of this one.
  throw (await quotaRefusal(db, caller.userId, quotas, { keys: 1 })) ?? tokenEnded()
}
