import { clear } from '../../../rows.ts'

/** Empties the tables that these tests look at. */
export async function clearTables(): Promise<void> {
  await clear('domains', 'waiting_domains', 'domain_answers', 'site_periods', 'site_versions', 'sites', 'items')
}
