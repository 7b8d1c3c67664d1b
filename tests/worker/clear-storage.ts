import { env, listDurableObjectIds, reset, runInDurableObject } from 'cloudflare:test'

/**
 * Empties D1, R2, the cache and the storage of every Durable Object, and ends the objects. `reset` alone passes over
 * what nobody has used for ten seconds, D1 and R2 included, so everything is used first.
 */
export async function clearStorage(): Promise<void> {
  const { DB, BUCKET, CHAIN_AGENT, CONTENT_FETCHER, ITEM_MERGER } = env
  await Promise.all([
    DB.prepare('SELECT 1').run(),
    BUCKET.head('nothing'),
    caches.default.match('https://nothing.example'),
    wake(CHAIN_AGENT),
    wake(CONTENT_FETCHER),
    wake(ITEM_MERGER),
  ])
  await reset()
  const { results } = await DB.prepare(
    "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
  ).all()
  const { objects } = await BUCKET.list()
  if (results.length + objects.length > 0) throw new Error('What the last test file stored could not be deleted.')
}

async function wake<T extends Rpc.DurableObjectBranded | undefined>(namespace: DurableObjectNamespace<T>) {
  const ids = await listDurableObjectIds(namespace)
  await Promise.all(ids.map((id) => runInDurableObject(namespace.get(id), () => {})))
}
