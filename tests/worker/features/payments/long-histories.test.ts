import { env } from 'cloudflare:test'
import { beforeAll, describe, expect, it } from 'vitest'
import { ledgerPage, ledgerTable } from '../../../../worker/features/payments/list-ledger.ts'
import { paymentPage, paymentTable } from '../../../../worker/features/payments/list-payments.ts'
import { readPayment } from '../../../../worker/features/payments/read-payment.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { noted } from '../../noted-calls.ts'
import { add, addMany } from '../../rows.ts'

const { DB } = env
const config = readConfig(env)
const REQUESTS = 1_020
const MOVES = 10_040

/** Lines of a table without its head. */
const lines = ({ text }: { text: string }) => text.trimEnd().split('\r\n').slice(1)

describe('a long history', () => {
  beforeAll(async () => {
    await addMany('addresses', REQUESTS, {
      ...{ address: "'a' || n", script: 'n', kind: "'request'", created_at: 'n' },
    })
    await addMany('payment_requests', REQUESTS, {
      ...{ id: "printf('%06d', n)", address: "'a' || n", amount: "'600'", state: "'expired'" },
      ...{ created_at: 'n', expires_at: 'n' },
    })
    const moves = { seq: 'n', amount: "'1'", balance: 'n', cause: "'manual:' || n", created_at: 'n' }
    await addMany('ledger', MOVES, moves)
  })

  it('of payments has 50 on a page', async () => {
    const { context, calls } = noted()
    const { payments, cursor } = JSON.parse(await paymentPage(context.db, config, { userId: 'ada' }))
    // One more is read of requests and of deposits, which says whether there are more.
    expect(calls.filter((call) => call.endsWith(',51]'))).toHaveLength(2)
    expect([payments.length, payments[0].address, cursor]).toEqual([50, 'a1020', '971-000971'])
    const next = JSON.parse(await paymentPage(DB, config, { userId: 'ada', cursor }))
    expect(next.payments[0].address).toBe('a970')
    const last = JSON.parse(await paymentPage(DB, config, { userId: 'ada', cursor: '51-000051' }))
    expect([last.payments.length, last.cursor]).toEqual([50, undefined])
  })

  it('of payments is a table of 1,000, and says where it goes on', async () => {
    const first = await paymentTable(DB, config, { userId: 'ada' })
    expect(lines(first)).toHaveLength(1_000)
    const rest = await paymentTable(DB, config, { userId: 'ada', cursor: first.cursor })
    expect([lines(rest).length, rest.cursor]).toEqual([20, undefined])
    expect(lines(rest)[0]).toContain(',a20,')
  })

  it('of moves has 50 on a page', async () => {
    const { context, calls } = noted()
    const { entries, cursor } = JSON.parse(await ledgerPage(context.db, 'ada', undefined))
    expect(calls.filter((call) => call.endsWith(',51]'))).toHaveLength(1)
    expect([entries.length, entries[0].id]).toEqual([50, `Bitcoin-${MOVES}`])
    expect(JSON.parse(await ledgerPage(DB, 'ada', cursor)).entries[0].id).toBe(`Bitcoin-${MOVES - 50}`)
  })

  it('of moves is a table of 10,000, and says where it goes on', async () => {
    const first = await ledgerTable(DB, 'ada', undefined)
    expect(lines(first)).toHaveLength(10_000)
    const rest = await ledgerTable(DB, 'ada', first.cursor)
    expect([lines(rest).length, rest.cursor]).toEqual([40, undefined])
    expect(lines(rest).at(-1)).toContain('Bitcoin-1')
  })
})

it('a payment has no depth while no block of its chain is followed', async () => {
  await add('addresses', { blockchain: 'Dogecoin', address: 'paid', user_id: 'eve' })
  await add('outputs', { blockchain: 'Dogecoin', address: 'paid', txid: 'f'.repeat(64), block_height: 1 })
  const { transactions } = JSON.parse(await readPayment(DB, config, 'eve', 'paid'))
  const [listed] = JSON.parse(await paymentPage(DB, config, { userId: 'eve' })).payments
  expect([transactions[0].depth, listed.transactions[0].depth]).toEqual([0, 0])
})
