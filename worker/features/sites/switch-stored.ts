import type { Env } from '../../platform/bindings.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import { evictSite } from './find-shown-item.ts'
import { findFailing } from './refuse-failing.ts'
import { updateCurrentStatements } from './sql/site-versions.ts'
import { refuseWaiting, selectStoredWaiting, type WaitingVersion } from './sql/waiting-versions.ts'

type Deps = Pick<Env, 'DB' | 'BUCKET'>

/** Versions that become current in one run. */
const SWITCHED_AT_ONCE = 50

/**
 * Makes versions current that were to become so once they are stored, at most {@link SWITCHED_AT_ONCE}. One that cannot be
 * checked now is tried again in the next run.
 */
export async function switchStored(env: Deps, now: number): Promise<void> {
  for (const version of await selectStoredWaiting(env.DB, SWITCHED_AT_ONCE)) {
    try {
      await switchWaiting(env, version, now)
    } catch (error) {
      logOnceAMinute(
        'error',
        'version_not_switched',
        version.siteId,
        'a stored version could not be made current',
        error,
      )
    }
  }
}

/**
 * Makes a stored version current that still waits for it, unless the site would answer 500 with it: that is noted.
 * @throws {AppError} what reading the item's blocks throws.
 */
export async function switchWaiting(env: Deps, version: WaitingVersion, now: number): Promise<void> {
  const { siteId, userId, number, itemId, by } = version
  if ((await findFailing(env, userId, itemId)).length > 0) return await refuseWaiting(env.DB, siteId, number)
  await env.DB.batch(updateCurrentStatements(env.DB, { id: siteId, userId }, { number, by, at: now, waiting: true }))
  evictSite(siteId)
}
