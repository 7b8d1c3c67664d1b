import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { creditRequest, settleByHand } from '../../../../worker/features/operate/settle-by-hand.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { beaten, noted } from '../../noted-calls.ts'
import { add, clear, read } from '../../rows.ts'

const context = { db: env.DB, config: readConfig(env), now: 5, record: () => [] }

beforeEach(async () => {
  await clear(
    'writes',
    'payment_request_items',
    'payment_requests',
    'items',
    'outputs',
    'addresses',
    'ledger',
    'blocks',
  )
  await add('blocks', { height: 10, hash: 'tip' })
  await add('items', { id: 'item', status: 402 })
  await add('addresses', { address: 'asked', kind: 'request' })
  await add('payment_requests', { id: 'request', address: 'asked', amount: '100', item_set: 'item' })
  await add('payment_request_items', { request_id: 'request', item_id: 'item', waiting: 1 })
})

const setState = (state: string) => env.DB.prepare('UPDATE payment_requests SET state = ?').bind(state).run()
const states = () => read('payment_requests', 'id', 'state')

describe('a payment request that is settled by hand', () => {
  it('takes what was paid to it once, and only what is deep enough and on the chain now', async () => {
    const mined = { address: 'asked', block_height: 5, block_hash: 'five' }
    await add(
      'outputs',
      { ...mined, txid: 'paid', amount: '30' },
      { ...mined, txid: 'known', amount: '7', credited: 1 },
    )
    await add('outputs', { ...mined, txid: 'young', amount: '11', block_height: 10, block_hash: 'tip' })
    await add('outputs', { address: 'asked', txid: 'gone', amount: '13' })
    await add('outputs', { address: 'asked', txid: 'waits', amount: '17', in_mempool: 1 })
    expect(await settleByHand(context, 'request')).toBe(70n)
    expect(await read('outputs', 'txid', 'credited')).toEqual({ gone: 0, known: 1, paid: 1, waits: 0, young: 0 })
    expect(await read('ledger', "substr(cause, 1, instr(cause, ':') - 1)", 'amount')).toEqual({
      ...{ manual: '70', output: '30', request: '-100' },
    })
    expect([await states(), await read('writes', 'item_id', 'state')]).toEqual([
      ...[{ request: 'settled' }, { item: 'queued' }],
    ])
  })

  it('takes nothing of what was paid while no block is followed', async () => {
    await clear('blocks')
    await add('outputs', { address: 'asked', txid: 'paid', amount: '30', block_height: 0, block_hash: 'zero' })
    expect(await settleByHand(context, 'request')).toBe(100n)
    expect(await read('outputs', 'txid', 'credited')).toEqual({ paid: 0 })
  })

  it('is given nothing where more was paid than it asks for, which stays balance', async () => {
    await add('outputs', { address: 'asked', txid: 'paid', amount: '130', block_height: 5, block_hash: 'five' })
    expect(await settleByHand(context, 'request')).toBe(0n)
    expect(await read('ledger', "substr(cause, 1, instr(cause, ':') - 1)", 'balance')).toEqual({
      ...{ output: '130', request: '30' },
    })
  })

  it.each(['open', 'seen', 'expired'])('is one that is %s', async (state) => {
    await setState(state)
    expect(await settleByHand(context, 'request')).toBe(100n)
    expect(await states()).toEqual({ request: 'settled' })
  })

  it.each(['settled', 'cancelled'])('is none that is %s, and none that there is not', async (state) => {
    await setState(state)
    await expect(settleByHand(context, 'request')).rejects.toMatchObject({ code: 'request_not_open' })
    await expect(settleByHand(context, 'other')).rejects.toMatchObject({ status: 404 })
    expect([await states(), await read('ledger', 'seq', 'amount')]).toEqual([{ request: state }, {}])
  })

  it('stays as it is where others were faster five times', async () => {
    for (const act of [settleByHand, creditRequest]) {
      const { context: racing, calls } = noted()
      const { db } = beaten(racing)
      await expect(act({ ...context, db }, 'request')).rejects.toMatchObject({ code: 'request_changing' })
      expect(calls.filter((call) => call.includes('FROM payment_requests WHERE id = ?'))).toHaveLength(5)
    }
  })
})

describe('a payment request that is ended by hand', () => {
  it.each(['open', 'seen'])('is one that is %s, whose items wait for nothing then', async (state) => {
    await setState(state)
    await creditRequest(context, 'request')
    expect([await states(), await read('payment_request_items', 'item_id', 'waiting')]).toEqual([
      ...[{ request: 'cancelled' }, { item: 0 }],
    ])
  })

  it.each(['settled', 'cancelled', 'expired'])('is none that is %s, and none that there is not', async (state) => {
    await setState(state)
    await expect(creditRequest(context, 'request')).rejects.toMatchObject({ code: 'request_not_open' })
    await expect(creditRequest(context, 'other')).rejects.toMatchObject({ status: 404 })
    expect(await states()).toEqual({ request: state })
  })
})
