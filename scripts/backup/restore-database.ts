import { checkSettings, DeployError, openDatabase, requireLogin, step } from '../deploy/deploy.ts'
import type { DeployMachine } from '../deploy/machine.ts'
import { migrate } from '../deploy/migrate.ts'
import type { Filled } from './fill-database.ts'
import { restoreStatements } from './restore-statements.ts'

/** Bytes of one file of statements: D1 takes each whole or not at all, and answers nothing meanwhile. */
const MAX_PART_BYTES = 32 * 2 ** 20

/** Which parts a database has, while it is being filled. */
const PARTS = 'restored_parts'

/**
 * Fills the database of an environment, which no Worker has used: it is made where there is none. Interrupted, it goes on when it is
 * called again with the same copy.
 * @throws {DeployError} where the database is in use
 */
export async function restoreDatabase(machine: DeployMachine, filled: Pick<Filled, 'db' | 'schema'>): Promise<void> {
  const plan = checkSettings(machine)
  await requireLogin(machine)
  const { config, runSql, missing } = await openDatabase(machine, plan)
  const execute = (args: string[]) => step(machine, args)
  await migrate(machine, missing, config, execute)
  const isBegun = (await runSql(`SELECT 1 FROM sqlite_master WHERE name = '${PARTS}'`)).length > 0
  if (!isBegun && (await runSql('SELECT 1 FROM users UNION ALL SELECT 1 FROM chain_states LIMIT 1')).length > 0) {
    throw new DeployError(
      `The database is in use. Set another D1_NAME in ${machine.environment.settings}: a new database is made of the copy.`,
    )
  }
  const done = isBegun ? (await runSql(`SELECT n FROM ${PARTS}`)).length : 0
  let number = 0
  for (const { sql, isLast } of parts(filled)) {
    number++
    if (number <= done) continue
    const before = number === 1 ? `CREATE TABLE ${PARTS} (n INTEGER PRIMARY KEY);\n` : ''
    const behind = isLast ? `DROP TABLE ${PARTS};\n` : `INSERT INTO ${PARTS} (n) VALUES (${number});\n`
    const text = `PRAGMA defer_foreign_keys = TRUE;\n${before}${sql}${behind}`
    const file = await machine.write(machine.environment.migration, text)
    try {
      await execute(['d1', 'execute', 'DB', '--remote', '--yes', '--config', config, `--file=${file}`])
    } finally {
      await machine.remove(machine.environment.migration)
    }
  }
}

function* parts(filled: Pick<Filled, 'db' | 'schema'>): Generator<{ sql: string; isLast: boolean }> {
  let sql = ''
  for (const statement of restoreStatements(filled)) {
    if (sql.length + statement.length > MAX_PART_BYTES) {
      yield { sql, isLast: false }
      sql = ''
    }
    sql += `${statement}\n`
  }
  yield { sql, isLast: true }
}
