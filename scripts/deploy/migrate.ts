import { isRecord } from '../../worker/platform/http/is-record.ts'
import type { RunSql } from '../admin/make-admin.ts'
import { findMissing } from '../migrations.ts'
import type { DeployMachine } from './machine.ts'

/** Wrangler's own table, as `wrangler d1 migrations apply` makes it. */
export const APPLIED = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`

/**
 * The migrations that the deployed database lacks.
 * @throws {OlderDatabaseError}
 * @throws {AdminError} where the database can't be queried
 */
export async function findMissingMigrations(runSql: RunSql, { names }: DeployMachine['migrations']): Promise<string[]> {
  const tables = await runSql("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'")
  const applied = tables.length === 0 ? [] : await runSql('SELECT name FROM d1_migrations')
  return findMissing(
    applied.map((row) => isRecord(row) && row.name),
    names,
  )
}

/**
 * Applies migrations. Where one of them makes a trigger each is sent as a file that has its row of `d1_migrations` in it:
 * `wrangler d1 migrations apply` uses D1's query endpoint, which cuts a trigger of several lines at its first semicolon
 * (cloudflare/workers-sdk issues 4998, 14991, 15314, 15690). D1 takes a file whole or not at all, and answers nothing else
 * meanwhile.
 */
export async function migrate(
  { environment, migrations, print, write, remove }: DeployMachine,
  missing: readonly string[],
  config: string,
  step: (args: string[]) => Promise<void>,
): Promise<void> {
  if (missing.length === 0) return
  const files = await Promise.all(missing.map(async (name) => ({ name, sql: await migrations.read(name) })))
  if (!files.some(({ sql }) => /^\s*CREATE TRIGGER\b/im.test(sql))) {
    return await step(['d1', 'migrations', 'apply', 'DB', '--remote', '--config', config])
  }
  print('The tables are changed now; until that is done the database answers nothing else.')
  for (const { name, sql } of files) {
    const row = `INSERT INTO d1_migrations (name) VALUES ('${name}');\n`
    const file = await write(environment.migration, `${APPLIED}\n${sql}\n${row}`)
    try {
      await step(['d1', 'execute', 'DB', '--remote', '--yes', '--config', config, `--file=${file}`])
    } finally {
      await remove(environment.migration)
    }
  }
}
