import { env } from 'cloudflare:workers'

type Row = Record<string, unknown>

/** What makes these tables what they are now, as Time Travel does: statements of one batch, together with `others`. */
export async function keepTables(
  tables: readonly string[],
): Promise<(others?: D1PreparedStatement[]) => Promise<void>> {
  const kept = new Map<string, Row[]>()
  for (const table of tables) kept.set(table, (await env.DB.prepare(`SELECT * FROM ${table}`).all<Row>()).results)
  return async (others = []) => {
    await env.DB.batch([
      env.DB.prepare('PRAGMA defer_foreign_keys = on'),
      ...tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
      ...[...kept].flatMap(([table, rows]) => rows.map((row) => insert(table, row))),
      ...others,
    ])
  }
}

function insert(table: string, row: Row): D1PreparedStatement {
  const values = Object.keys(row).map(() => '?')
  return env.DB.prepare(`INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${values.join()})`).bind(
    ...Object.values(row),
  )
}
