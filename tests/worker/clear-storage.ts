import { env, listDurableObjectIds, reset, runInDurableObject } from 'cloudflare:test'

/** How often what is still there is deleted again, and what lies between (ms). */
const TRIES = 100
const PAUSE_MS = 100

/**
 * Empties D1, R2, the cache and the storage of every Durable Object, and ends the objects. What requests of the last
 * file still write behind their answers may come after that: it is deleted again.
 */
export async function clearStorage(): Promise<void> {
  await deleteAll()
  for (let time = 1; !(await isEmpty()); time++) {
    if (time === TRIES) throw new Error('What the last test file stored could not be deleted.')
    await scheduler.wait(PAUSE_MS)
    await deleteAll()
  }
}

/** `reset` alone passes over what nobody has used for ten seconds, D1 and R2 included, so everything is used first. */
async function deleteAll(): Promise<void> {
  const { DB, BUCKET, CHAIN_AGENT, CONTENT_FETCHER, ITEM_MERGER } = env
  await Promise.allSettled([
    DB.prepare('SELECT 1').run(),
    BUCKET.head('nothing'),
    caches.default.match('https://nothing.example'),
    wake(CHAIN_AGENT),
    wake(CONTENT_FETCHER),
    wake(ITEM_MERGER),
  ])
  await reset()
}

async function isEmpty(): Promise<boolean> {
  const tables = "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'"
  const { results } = await env.DB.prepare(tables).all()
  const { objects } = await env.BUCKET.list()
  return results.length + objects.length === 0
}

async function wake<T extends Rpc.DurableObjectBranded | undefined>(namespace: DurableObjectNamespace<T>) {
  const ids = await listDurableObjectIds(namespace)
  await Promise.allSettled(ids.map((id) => runInDurableObject(namespace.get(id), () => {})))
}
