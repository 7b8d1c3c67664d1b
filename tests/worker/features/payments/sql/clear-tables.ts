import { clear } from '../../../rows.ts'

const TABLES = ['events', 'payment_request_items', 'writes', 'payment_requests', 'outputs', 'ledger', 'addresses']

/** Empties the tables that these tests look at. */
export async function clearTables(): Promise<void> {
  await clear(...TABLES, 'blocks', 'failed_records', 'withdrawals', 'items')
}
