import { type Dangling, deleteDangling, type Filled } from './fill-database.ts'
import { CopyError } from './part-folder.ts'
import { SUMS, WRITES } from './repair-items.ts'
import { chainRepairs, MONEY } from './repair-money.ts'
import { FILL_SEARCH_INDEX } from './schema.ts'

/** What was repaired: how many rows were changed for what, and which were deleted. */
export interface Repaired {
  changed: { what: string; rows: number }[]
  dangling: Dangling[]
}

/**
 * Makes one moment of the rows of a copy: what happened to money and items since the copy was begun is taken back, sums are made anew,
 * and rows that refer to none are deleted. The database then has its indexes and triggers again.
 * @param id of the copy
 * @throws {CopyError} where the rows still contradict each other
 */
export function repairDatabase(filled: Filled, id: string): Repaired {
  const { db, schema, at } = filled
  const isUnique = ({ sql }: { sql: string }) => sql.startsWith('CREATE UNIQUE')
  for (const index of schema.indexes) if (!isUnique(index)) db.exec(index.sql)
  const changed: Repaired['changed'] = []
  const dangling = deleteDangling(filled)
  for (const { what, sql } of [...MONEY, ...WRITES]) changed.push({ what, rows: run(sql) })
  dangling.push(...deleteDangling(filled))
  for (const { what, sql } of [...SUMS, ...chainRepairs(id, at)]) changed.push({ what, rows: run(sql) })
  try {
    for (const index of schema.indexes) if (isUnique(index)) db.exec(index.sql)
  } catch (cause) {
    throw new CopyError(`The rows of this copy contradict each other: ${String(cause)}. Use another copy.`, { cause })
  }
  const [broken] = db.prepare('PRAGMA foreign_key_check').all()
  if (broken) throw new CopyError(`A row of ${String(broken.table)} refers to none. Use another copy.`)
  for (const sql of FILL_SEARCH_INDEX) db.exec(sql)
  for (const { sql } of schema.triggers) db.exec(sql)
  return { changed: changed.filter(({ rows }) => rows > 0), dangling }

  function run(statements: readonly string[]): number {
    return statements.reduce((rows, sql) => rows + Number(db.prepare(sql).run().changes), 0)
  }
}
