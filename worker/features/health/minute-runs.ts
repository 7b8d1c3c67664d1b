/** Notes that all jobs of the minute ended well; `now` in milliseconds. */
export async function noteMinuteRun(db: D1Database, now: number): Promise<void> {
  await db
    .prepare('INSERT INTO minute_runs (id, ended_at) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET ended_at = ?1')
    .bind(now)
    .run()
}

/** When all jobs of the minute last ended well, in milliseconds; `undefined` where they never did. */
export async function selectMinuteRun(db: D1Database): Promise<number | undefined> {
  return (await db.prepare('SELECT ended_at FROM minute_runs').first<number>('ended_at')) ?? undefined
}
