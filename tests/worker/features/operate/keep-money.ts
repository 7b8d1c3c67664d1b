import { env } from 'cloudflare:workers'

const TABLES = [
  ...['blocks', 'wallet_scans', 'chain_states', 'set_aside', 'addresses', 'outputs', 'ledger', 'withdrawals', 'lanes'],
  ...['transactions', 'transaction_inputs', 'payout_numbers', 'sends', 'send_scans', 'stops'],
]
type Row = Record<string, unknown>

/**
 * The money of the database as it is now; returns what puts it back to this, as Time Travel does. Rows of `forgotten` tables are not
 * there any more even now.
 */
export async function keepMoney(forgotten: readonly string[] = []): Promise<() => Promise<void>> {
  for (const table of forgotten) await env.DB.prepare(`DELETE FROM ${table}`).run()
  const kept = new Map<string, Row[]>()
  for (const table of TABLES) kept.set(table, (await env.DB.prepare(`SELECT * FROM ${table}`).all<Row>()).results)
  return async () => {
    const insert = (table: string, row: Row) =>
      env.DB.prepare(
        `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${Object.keys(row)
          .map(() => '?')
          .join()})`,
      ).bind(...Object.values(row))
    await env.DB.batch([
      env.DB.prepare('PRAGMA defer_foreign_keys = on'),
      ...TABLES.map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
      ...[...kept].flatMap(([table, rows]) => rows.map((row) => insert(table, row))),
    ])
  }
}
