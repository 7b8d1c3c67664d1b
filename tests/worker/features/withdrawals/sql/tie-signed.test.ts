import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { tieSignedStatement } from '../../../../../worker/features/withdrawals/sql/withdrawal-ends.ts'
import { add, read } from '../../../rows.ts'

it('a withdrawal that ends is tied to the coin of its own tx chain, where its transactions have one', async () => {
  await add('withdrawals', ...['one', 'two', 'none'].map((id) => ({ id, ending: 'refunded' })))
  await add(
    'tx_chains',
    ...[1, 2, 3].map((id) => ({ id, coin_txid: `coin${id}` })),
    // The same id on another chain.
    { id: 1, blockchain: 'Dogecoin', coin_txid: 'other' },
  )
  await add(
    'transactions',
    { txid: 'a', withdrawal_id: 'one', tx_chain: 1 },
    { txid: 'b', withdrawal_id: 'two', tx_chain: 2, state: 'dead', dead: 1 },
    { txid: 'c', withdrawal_id: 'two', tx_chain: 3 },
  )
  for (const id of ['one', 'two', 'none']) await tieSignedStatement(env.DB, id).run()
  expect(await read('withdrawals', 'id', 'coin_txid')).toEqual({ one: 'coin1', two: null, none: null })
})
