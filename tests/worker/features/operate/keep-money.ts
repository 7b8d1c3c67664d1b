import { env } from 'cloudflare:workers'
import { keepTables } from '../../keep-tables.ts'

const TABLES = [
  ...[
    'blocks',
    'wallet_scans',
    'chain_states',
    'failed_records',
    'addresses',
    'outputs',
    'ledger',
    'withdrawals',
    'tx_chains',
  ],
  ...['transactions', 'transaction_inputs', 'payout_numbers', 'sends', 'stops'],
]

/**
 * The money of the database as it is now; returns what puts it back to this, as Time Travel does. Rows of `forgotten` tables are not
 * there any more even now.
 */
export async function keepMoney(forgotten: readonly string[] = []): Promise<() => Promise<void>> {
  for (const table of forgotten) await env.DB.prepare(`DELETE FROM ${table}`).run()
  const restore = await keepTables(TABLES)
  return () => restore()
}
