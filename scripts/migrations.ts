import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the migrations, which Wrangler knows by `wrangler.toml`. */
export const MIGRATIONS = join(import.meta.dirname, '..', 'd1-migrations')

/** The database was made by a version before 1.0.0. */
export class OlderDatabaseError extends Error {
  override name = 'OlderDatabaseError'
  override message =
    '1.0.0 begins with an empty database, bucket and objects: `npm run reset` here; a new Worker name, database and bucket on Cloudflare.'
}

/** The names of the files that make the tables, in their order. */
export function listMigrations(): string[] {
  return readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.sql'))
    .sort()
}

/**
 * The migrations that a database lacks, in their order.
 * @param applied the names in its table `d1_migrations`
 * @throws {OlderDatabaseError} where one of these is none of ours
 */
export function findMissing(applied: readonly unknown[], migrations = listMigrations()): string[] {
  if (applied.some((name) => !migrations.some((known) => known === name))) throw new OlderDatabaseError()
  return migrations.filter((name) => !applied.includes(name))
}
