import { clear } from '../rows.ts'

/** Empties the tables that these tests look at. */
export async function clearTables(): Promise<void> {
  await clear(
    'events',
    'payment_request_items',
    'writes',
    'payment_requests',
    'outputs',
    'ledger',
    'addresses',
    'blocks',
  )
  await clear('set_aside', 'withdrawals', 'items')
}
