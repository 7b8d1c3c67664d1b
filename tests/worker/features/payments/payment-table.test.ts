import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { paymentPage, paymentTable } from '../../../../worker/features/payments/list-payments.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { add, addMany, clear } from '../../rows.ts'

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
  const { text, cursor } = await paymentTable(env.DB, readConfig(env), {
    userId: 'ada',

    cursor: undefined,
  })
  const of = (address: string) => `${address}-credited ${address}-mempool ${address}-gone`
  const [, ...rows] = text.split('\r\n')
  expect([cursor, rows]).toEqual([
    undefined,
    [
      `1970-01-01T00:00:00.000Z,deposit,credited,Bitcoin,Bitcoin,deposit,,,,,53.00000000,50.00000000,,,,${of('deposit')}`,
      // What paid for its items did not become balance.
      expect.stringMatching(
        `,request,settled,Bitcoin,Bitcoin,asked,20.00000000,0.00000000,0.00000001,19.99999999,53.00000000,30.00000000,1,.*,${of('asked')}$`,
      ),
      '',
    ],
  ])
})

it('requests and deposits of one moment are listed page by page, each once', async () => {
  await clear('payment_requests', 'outputs', 'addresses', 'items')
  // In the order of their names the two take turns.
  const name = "printf('%03d', 2 * n + "
  for (const [kind, odd] of [
    ['deposit', 0],
    ['request', 1],
  ] as const) {
    const address = `${name}${odd})`
    await addMany('addresses', 60, { address, script: address, kind: `'${kind}'`, state: "'retired'", created_at: '7' })
    if (kind === 'deposit') await addMany('outputs', 60, { txid: address, address })
    else await addMany('payment_requests', 60, { id: address, address, created_at: '7' })
  }
  const listed: string[] = []
  let cursor: string | undefined
  do {
    const page = JSON.parse(await paymentPage(env.DB, readConfig(env), { userId: 'ada', cursor }))
    listed.push(...page.payments.map(({ address }: { address: string }) => address))
    cursor = page.cursor
  } while (cursor !== undefined && listed.length < 200)
  const all = Array.from({ length: 120 }, (_, at) => String(at + 2).padStart(3, '0'))
  expect(listed).toEqual(all.toReversed())
})
