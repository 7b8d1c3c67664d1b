import { now as clock } from '../../platform/clock.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import type { Snapshot } from './snapshot.ts'

/** Where the Cache API of a data centre has the list as an isolate last read it. */
export const EDGE_COPY = 'https://denylist.invalid/keys'

/** How old (ms) a copy may be that is used in place of a D1 that cannot be asked. */
const MAX_AGE = 86_400_000

/** Leaves the list for isolates that start while D1 is down, or would else read all of a long list again. */
export async function storeEdgeCopy(snapshot: Snapshot): Promise<void> {
  const { asOf = clock() } = snapshot
  const headers = { 'Cache-Control': `max-age=${MAX_AGE / 1000}`, 'X-As-Of': String(asOf) }
  try {
    await caches.default.put(EDGE_COPY, new Response(snapshot.dump(), { headers }))
  } catch (error) {
    logOnceAMinute('error', 'denylist_copy_not_kept', error)
  }
}

/** Fills an empty snapshot with what is at the edge, if anything is; changes since are still to be read. */
export async function readEdgeCopy(snapshot: Snapshot, now: number): Promise<void> {
  try {
    const copy = await caches.default.match(EDGE_COPY)
    const asOf = Number(copy?.headers.get('X-As-Of') ?? Number.NaN)
    if (!copy || !(now - asOf < MAX_AGE)) return void (await copy?.body?.cancel())
    snapshot.restore(await copy.text(), asOf)
  } catch (error) {
    logOnceAMinute('error', 'denylist_copy_not_read', error)
  }
}
