import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { paymentTable } from '../../../../worker/features/payments/list-payments.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { add } from '../../rows.ts'

it('the table of payments says what is there of the money that came, and what of that became balance', async () => {
  const mined = { block_height: 1, block_hash: 'b' }
  const paid = (txid: string, coins: string, more: object) => ({ txid, amount: `${coins}00000000`, ...more })
  for (const address of ['deposit', 'bobs', 'asked']) {
    const kind = address === 'asked' ? 'request' : 'deposit'
    await add('addresses', {
      address,
      script: address,
      kind,
      user_id: address === 'bobs' ? 'bob' : 'ada',
      state: 'retired',
    })
    await add(
      'outputs',
      ...[
        paid(`${address}-credited`, '50', { ...mined, credited: 1 }),
        paid(`${address}-mempool`, '3', { in_mempool: 1 }),
        paid(`${address}-gone`, '1', { dropped: 1 }),
      ].map((row) => ({ ...row, address })),
    )
  }
  await add('items', { id: 'i' })
  await add('payment_requests', {
    ...{ id: 'r', address: 'asked', item_set: 'i', amount: '2000000000', state: 'settled', created_at: -1 },
  })
  const { text, cursor } = await paymentTable(env.DB, readConfig(env), 'ada', undefined)
  const of = (address: string) => `${address}-credited ${address}-mempool ${address}-gone`
  const [, ...rows] = text.split('\r\n')
  expect([cursor, rows]).toEqual([
    undefined,
    [
      `1970-01-01T00:00:00.000Z,deposit,credited,Bitcoin,Bitcoin,deposit,,,,,53.00000000,50.00000000,,,,${of('deposit')}`,
      // What paid for its items did not become balance.
      expect.stringMatching(
        `,request,settled,Bitcoin,Bitcoin,asked,20.00000000,,,,53.00000000,30.00000000,1,.*,${of('asked')}$`,
      ),
      '',
    ],
  ])
})
