import { add, clear } from '../../../rows.ts'

const TABLES = [
  'events',
  'transaction_inputs',
  'transactions',
  'tx_chains',
  'writes',
  'payment_requests',
  'withdrawals',
]

/** Empties the tables that these tests look at, but for a tx chain on two chains, and two requests that are settled. */
export async function prepareTables(): Promise<void> {
  await clear(...TABLES, 'blocks', 'swept_bundles', 'signed_bundles', 'items', 'failed_records')
  await add('tx_chains', { id: 1 }, { id: 1, blockchain: 'Dogecoin' })
  await add('payment_requests', { id: 'request', state: 'settled' }, { id: 'other', state: 'settled' })
}
