import { env } from 'cloudflare:test'

/** Has a record of Bitcoin wait ten minutes for its next try, as one that has failed often. */
export async function failRecord(kind: string, id: string): Promise<void> {
  await env.DB.prepare(
    `INSERT OR REPLACE INTO failed_records (blockchain, kind, id, reason, tries, since, retry_at)
     VALUES ('Bitcoin', ?, ?, 'it failed', 99, 0, ?)`,
  )
    .bind(kind, id, Date.now() + 600_000)
    .run()
}
