/** The item DNS last named for a host. */
export async function selectDomainAnswer(db: D1Database, host: string): Promise<string | undefined> {
  const row = await db
    .prepare('SELECT item_id FROM domain_answers WHERE host = ?')
    .bind(host)
    .first<{ item_id: string }>()
  return row?.item_id
}

/** Remembers what DNS named; written again only when it differs or is older than `before` (ms). */
export async function saveDomainAnswer(
  db: D1Database,
  host: string,
  itemId: string,
  now: number,
  before: number,
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO domain_answers (host, item_id, seen_at) VALUES (?1, ?2, ?3)
       ON CONFLICT (host) DO UPDATE SET item_id = ?2, seen_at = ?3 WHERE item_id <> ?2 OR seen_at < ?4`,
    )
    .bind(host, itemId, now, before)
    .run()
}

/** DNS names no item for this host any more. */
export async function deleteDomainAnswer(db: D1Database, host: string): Promise<void> {
  if ((await selectDomainAnswer(db, host)) === undefined) return
  await db.prepare('DELETE FROM domain_answers WHERE host = ?').bind(host).run()
}
