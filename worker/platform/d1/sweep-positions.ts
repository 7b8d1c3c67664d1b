/** The R2 key, or the id of a row, after which the next run of a sweep starts; empty for the first. */
export async function selectSweepPosition(db: D1Database, prefix: string): Promise<string> {
  const row = await db
    .prepare('SELECT position FROM sweep_positions WHERE prefix = ?')
    .bind(prefix)
    .first<{ position: string }>()
  return row?.position ?? ''
}

/** Stores where the next run of a sweep starts. */
export async function updateSweepPosition(db: D1Database, prefix: string, position: string): Promise<void> {
  await db
    .prepare('INSERT OR REPLACE INTO sweep_positions (prefix, position) VALUES (?, ?)')
    .bind(prefix, position)
    .run()
}
