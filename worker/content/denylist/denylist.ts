import type { CID } from 'multiformats/cid'
import type { Env } from '../../platform/bindings.ts'
import { now as clock } from '../../platform/clock.ts'
import { withTimeout } from '../../platform/flow/with-timeout.ts'
import { AppError, unavailable } from '../../platform/http/errors.ts'
import { clearResponseCache } from '../../platform/http/response-cache.ts'
import { selectDeniedChanges } from './denied.ts'
import { readEdgeCopy, storeEdgeCopy } from './edge-copy.ts'
import { ImportedList } from './imported-list.ts'
import { SharedRead } from './shared-read.ts'
import { type Denylist, Snapshot } from './snapshot.ts'

export type { Denylist } from './snapshot.ts'

/** Rows of one query while a long list is read for the first time. */
const PAGE = 10_000
/** How long (ms) an answer waits for D1, and how long after a failure D1 is left alone. */
const UPDATE_TIMEOUT_MS = 3_000
/** How long (ms) an isolate that knows nothing yet waits for the list of others: some 8 MB. */
const IMPORT_TIMEOUT_MS = 10_000

// One per isolate. Values only: a promise of one request can't be awaited by another.
let snapshot = new Snapshot()
let nextUpdate = 0
let leaveAloneUntil = 0
let reading = new SharedRead()

/**
 * The denylist of this isolate, to be asked before any cache: at once while it is fresh, after a look for changes
 * when it is not, one for all that ask meanwhile. D1 out of reach: what was known holds.
 * @throws {AppError} 503 when nothing is known yet and D1 does not answer.
 */
export function denylist(
  env: Pick<Env, 'DB' | 'BUCKET'>,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  now = clock(),
): Denylist | Promise<Denylist> {
  const age = snapshot.age(now)
  if (age === 'fresh') return snapshot
  if (age === 'empty') return readTogether(ctx, now, () => load(env, ctx, now))
  if (now < leaveAloneUntil) return snapshot
  if (age === 'stale') return readTogether(ctx, now, () => update(env, ctx, now))
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

async function readTogether(
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  now: number,
  read: () => Promise<Denylist>,
): Promise<Denylist> {
  await reading.run(ctx, { read, isKnown: () => isUsable(snapshot.age(now)) || now < leaveAloneUntil })
  return snapshot
}

function isUsable(age: ReturnType<Snapshot['age']>): boolean {
  return age === 'fresh' || age === 'aging'
}

/** Clears the list of this isolate, as if the isolate had just been started. */
export function forgetDenylist(): void {
  snapshot = new Snapshot()
  reading = new SharedRead()
  nextUpdate = 0
  leaveAloneUntil = 0
}

async function update(
  env: Pick<Env, 'DB' | 'BUCKET'>,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  now: number,
  { first } = { first: false },
): Promise<Denylist> {
  const { version } = snapshot
  try {
    await follow(env.DB, now)
    const reading = snapshot.lacksImport ? readImport(env) : undefined
    // An isolate that already had a list continues with it.
    if (reading && first) await reading
    else if (reading) ctx.waitUntil(reading)
    if (snapshot.version !== version) ctx.waitUntil(storeEdgeCopy(snapshot))
  } catch (error) {
    leaveAloneUntil = now + UPDATE_TIMEOUT_MS
    console.error('denylist_not_updated', error)
  }
  return snapshot
}

async function load(
  env: Pick<Env, 'DB' | 'BUCKET'>,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  now: number,
): Promise<Denylist> {
  await readEdgeCopy(snapshot, now)
  if (snapshot.age(now) !== 'empty') {
    return await update(env, ctx, now, { first: true })
  }
  try {
    await follow(env.DB, now)
    if (snapshot.lacksImport) await readImport(env)
  } catch (cause) {
    throw unavailable(
      'denylist_unavailable',
      'The denylist cannot be read right now, so nothing is served. Try again in a minute.',
      { cause },
    )
  }
  ctx.waitUntil(storeEdgeCopy(snapshot))
  return snapshot
}

/** Reads the active imported list; a failure is retried with the next check for changes. */
async function readImport(env: Pick<Env, 'BUCKET'>): Promise<void> {
  const { wanted } = snapshot
  if (wanted === undefined) return
  try {
    const list = await withTimeout(readImportedList(env.BUCKET, wanted), IMPORT_TIMEOUT_MS, 'R2')
    if (snapshot.wanted !== wanted || !snapshot.lacksImport) return
    snapshot.take(list)
    // What is stored says which CIDs it is of, and not by which path or name it was requested.
    clearResponseCache()
  } catch (error) {
    console.error('denylist_import_not_read', wanted, error)
  }
}

async function readImportedList(bucket: R2Bucket, name: string): Promise<ImportedList> {
  const object = await bucket.get(name)
  if (!object) throw new Error('It is not in the bucket.')
  return new ImportedList(name, await object.arrayBuffer())
}

async function follow(db: D1Database, asOf: number): Promise<void> {
  let list = snapshot
  for (;;) {
    const { seq } = list
    const { changes, last, imported } = await withTimeout(selectDeniedChanges(db, seq, PAGE), UPDATE_TIMEOUT_MS, 'D1')
    if (last < seq) {
      // The database was restored to an earlier time: later changes no longer exist.
      list = new Snapshot(list)
      continue
    }
    list.apply(changes)
    list.want(imported)
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
