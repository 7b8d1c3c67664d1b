import { add, clear } from '../rows.ts'

/** Empties the tables that these tests look at. */
export async function clearTables(): Promise<void> {
  await clear(
    'events',
    'transaction_inputs',
    'transactions',
    'lanes',
    'writes',
    'payment_requests',
    'withdrawals',
    'blocks',
  )
  await clear('swept_bundles', 'items')
  await add('lanes', { id: 1 }, { id: 1, blockchain: 'Dogecoin' })
  await add('payment_requests', { id: 'request', state: 'settled' }, { id: 'other', state: 'settled' })
}
