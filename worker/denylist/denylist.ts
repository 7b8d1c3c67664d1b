import type { CID } from 'multiformats/cid'
import type { Env } from '../bindings.ts'
import { now as clock } from '../clock.ts'
import { withTimeout } from '../flow/with-timeout.ts'
import { AppError, unavailable } from '../http/errors.ts'
import { selectDeniedChanges } from '../storage/sites/denied.ts'
import { keepEdgeCopy, readEdgeCopy } from './edge-copy.ts'
import { type Denylist, Snapshot } from './snapshot.ts'

export type { Denylist } from './snapshot.ts'

/** Rows of one query while a long list is read for the first time. */
const PAGE = 10_000
/** How long (ms) an answer waits for D1, and how long after a failure D1 is left alone. */
const UPDATE_TIMEOUT_MS = 3_000

// One per isolate. Values only: a promise of one request can't be awaited by another.
let snapshot = new Snapshot()
let nextUpdate = 0
let leaveAloneUntil = 0

/**
 * The denylist of this isolate, to be asked before any cache: at once while it is fresh, after a look for changes
 * when it is not. D1 out of reach: what was known holds.
 * @throws {AppError} 503 when nothing is known yet and D1 does not answer.
 */
export function denylist(
  env: Pick<Env, 'DB'>,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  now = clock(),
): Denylist | Promise<Denylist> {
  const age = snapshot.age(now)
  if (age === 'fresh') return snapshot
  if (age === 'empty') return load(env, ctx, now)
  if (now < leaveAloneUntil) return snapshot
  if (age === 'stale') return update(env, ctx, now)
  if (now >= nextUpdate) {
    nextUpdate = now + UPDATE_TIMEOUT_MS
    ctx.waitUntil(update(env, ctx, now))
  }
  return snapshot
}

/** Makes this isolate read the list again before its next answer; others follow within a minute. */
export function expireDenylist(): void {
  snapshot.expire(clock())
  leaveAloneUntil = 0
}

async function update(env: Pick<Env, 'DB'>, ctx: Pick<ExecutionContext, 'waitUntil'>, now: number): Promise<Denylist> {
  const { version } = snapshot
  try {
    await follow(env.DB, now)
    if (snapshot.version !== version) ctx.waitUntil(keepEdgeCopy(snapshot))
  } catch (error) {
    leaveAloneUntil = now + UPDATE_TIMEOUT_MS
    console.error('denylist_not_updated', error)
  }
  return snapshot
}

async function load(env: Pick<Env, 'DB'>, ctx: Pick<ExecutionContext, 'waitUntil'>, now: number): Promise<Denylist> {
  await readEdgeCopy(snapshot, now)
  if (snapshot.age(now) !== 'empty') return await update(env, ctx, now)
  try {
    await follow(env.DB, now)
  } catch (cause) {
    throw unavailable('denylist_unavailable', 'What may be served cannot be looked up right now.', { cause })
  }
  ctx.waitUntil(keepEdgeCopy(snapshot))
  return snapshot
}

async function follow(db: D1Database, asOf: number): Promise<void> {
  let list = snapshot
  for (;;) {
    const { seq } = list
    const { changes, last } = await withTimeout(selectDeniedChanges(db, seq, PAGE), UPDATE_TIMEOUT_MS, 'D1')
    if (last < seq) {
      // The database was put back to an earlier time: what was learned since is no longer so.
      list = new Snapshot(list.generation + 1)
      continue
    }
    list.apply(changes)
    if (changes.length < PAGE) break
  }
  list.complete(asOf)
  if (list.generation > snapshot.generation) snapshot = list
}

/**
 * Refuses what is on the list: any one of `txids`, any one of `cids` (root or resolved), the item itself, the site that
 * shows it, which is listed as an item is.
 * @throws {AppError} 451 `denied` (RFC 7725).
 */
export function refuseDenied(
  list: Denylist,
  asked: {
    txids?: Iterable<string>
    cids?: Iterable<string | CID>
    item?: string | undefined
    site?: string | undefined
  },
): void {
  if (isDenied(list, asked)) throw deniedError()
}

export function deniedError(): AppError {
  return new AppError(451, 'denied', 'The operator of this service does not serve this content.')
}

/** Whether any one of what is {@link refuseDenied asked} may not be served. */
export function isDenied(
  list: Denylist,
  { txids = [], cids = [], item, site }: Parameters<typeof refuseDenied>[1],
): boolean {
  for (const id of [item, site]) if (id !== undefined && list.has('item', id)) return true
  for (const txid of txids) if (list.has('txid', txid)) return true
  for (const cid of cids) if (list.has('cid', cid)) return true
  return false
}
