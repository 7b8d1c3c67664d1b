import { toHex } from '../../../protocol/bytes.ts'
import type { Env } from '../../platform/bindings.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import { returnToEventLoop } from '../../platform/flow/budget.ts'
import { collectDenylist } from './collect-denylist.ts'
import {
  claimDenylistLook,
  type DenylistImport,
  noteDenylistLook,
  replaceDenylistImport,
  selectDenylistImport,
} from './denylist-import.ts'

/** How often (ms) the list is checked for changes, also after a failure. */
const PERIOD_MS = 3_600_000
const RETRY_MS = 600_000
/** Time limit (ms) for the download of the list. */
const TIMEOUT_MS = 120_000

/** Where the bucket has lists as isolates read them, each under the hash of its bytes. */
export const IMPORT_PREFIX = 'denylist/'

/**
 * Checks whether the external denylist has changed and activates the new version, which isolates read within a minute. If it
 * can't be read, the previous version remains active and the row says why. `now` in ms.
 */
export async function importDenylist(env: Env, now: number): Promise<void> {
  const { denylistUrl } = readConfig(env)
  const known = await selectDenylistImport(env.DB)
  if (denylistUrl === undefined) return await stopFollowing(env, known, now)
  const due = known.checkedAt + (known.problem === null ? PERIOD_MS : RETRY_MS)
  if (known.url === denylistUrl && now < due) return
  if (!(await claimDenylistLook(env.DB, known.checkedAt, now))) return
  try {
    await follow(env, denylistUrl, known, now)
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'It cannot be read.'
    console.error('denylist_not_imported', denylistUrl, problem)
    await noteDenylistLook(env.DB, problem)
  }
}

async function follow(env: Env, url: string, known: DenylistImport, now: number): Promise<void> {
  const same = known.url === url && known.etag !== null
  const response = await fetch(url, {
    headers: same ? { 'If-None-Match': known.etag ?? '' } : {},
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (same && response.status === 304) return await noteDenylistLook(env.DB, null)
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel()
    throw new Error(`It was answered with ${response.status}.`)
  }
  const { bytes, ...counts } = await collectDenylist(response.body, returnToEventLoop)
  if (counts.leftOut > 0) console.error('denylist_too_long', url, `${counts.leftOut} rules are left out`)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const object = `${IMPORT_PREFIX}${toHex(digest.subarray(0, 16))}`
  const list = { url, etag: response.headers.get('ETag'), object, ...counts }
  if (object === known.object && known.url === url) return await noteDenylistLook(env.DB, null)
  await env.BUCKET.put(object, bytes)
  // Isolates may still be reading the one before; the one before that, nobody is.
  if (known.previous !== null && known.previous !== object) await env.BUCKET.delete(known.previous)
  await replaceDenylistImport(env.DB, { ...list, previous: known.object }, now)
}

async function stopFollowing(env: Env, known: DenylistImport, now: number): Promise<void> {
  if (known.url === null) return
  const none = { url: null, etag: null, object: null, entries: 0, skipped: 0, leftOut: 0 }
  await replaceDenylistImport(env.DB, { ...none, previous: known.object }, now)
}
