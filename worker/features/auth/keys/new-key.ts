import type { NewKey } from '../../../../contract/account.ts'
import { SCOPES } from '../../../../contract/scopes.ts'
import { isBlockchain } from '../../../../protocol/chains.ts'
import { unixSeconds } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/config.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { invalidField } from '../../../platform/http/errors.ts'
import type { Caller } from '../find-caller.ts'
import { quotaRefusal } from '../quotas.ts'
import { type ApiKey, insertApiKeyStatements, type Spending } from '../sql/api-keys.ts'
import { KEYS_USED } from '../sql/quotas.ts'
import { tokenEnded } from '../unauthorized.ts'
import { hashApiKey, newApiKey } from './api-key.ts'

/** No key lives longer than this, unless it has no end at all; seconds. */
const LONGEST = 3650 * 86_400

/**
 * A new key as it is stored; times in milliseconds, `now` too.
 * @throws {AppError} 400 naming the field, also where a key that may pay has no limit.
 */
export function readNewKey(
  { name, scopes, expiresAt, spending }: NewKey,
  now: number,
): Pick<ApiKey, 'name' | 'scopes' | 'expiresAt' | 'spending'> {
  const seconds = unixSeconds(now)
  if (expiresAt && (expiresAt <= seconds || expiresAt > seconds + LONGEST)) {
    throw invalidField('expiresAt', 'must be a time in the future, within ten years, in whole Unix seconds.')
  }
  if (scopes.includes('pay') && !spending) {
    throw invalidField('spending', 'is missing: a key with the scope "pay" needs a limit, such as {"Bitcoin": "0.01"}.')
  }
  return {
    name,
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    expiresAt: expiresAt ? expiresAt * 1000 : undefined,
    spending: spending ? readSpending(spending) : undefined,
  }
}

function readSpending(coins: Readonly<Record<string, bigint>>): Spending {
  const spending: Spending = {}
  for (const [blockchain, units] of Object.entries(coins)) {
    if (!isBlockchain(blockchain)) {
      throw invalidField('spending', `names ${JSON.stringify(blockchain.slice(0, 40))}, which nothing is paid in.`)
    }
    spending[blockchain] = units
  }
  return spending
}

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
  throw (await quotaRefusal(db, caller.userId, KEYS_USED, quotas, { keys: 1 })) ?? tokenEnded()
}
