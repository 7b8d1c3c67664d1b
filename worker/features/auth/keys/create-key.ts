import type { Config } from '../../../platform/config/config.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import type { Caller } from '../find-caller.ts'
import { quotaRefusal } from '../quotas.ts'
import { type ApiKey, insertApiKeyStatements } from '../sql/api-keys.ts'
import { tokenEnded } from '../unauthorized.ts'
import { hashApiKey, newApiKey } from './api-key.ts'

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
