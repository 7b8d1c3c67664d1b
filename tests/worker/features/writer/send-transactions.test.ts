import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import type { AgentContext } from '../../../../worker/chain/follower/agent-context.ts'
import type { RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { BEING_WRITTEN } from '../../../../worker/features/items/sql/move-items.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { sendAll } from '../../../../worker/features/writer/send/send-transactions.ts'
import { notedStep } from '../../noted-step.ts'
import { add, addMany, clear, list, read } from '../../rows.ts'
import { ITEM, node, refuses, sign, states, TIP } from './sending.ts'

const { DB, BUCKET } = env

beforeEach(async () => {
  await clear(
    'failed_records',
    'events',
    'transactions',
    'tx_chains',
    'writes',
    'payment_requests',
    'withdrawals',
    'items',
  )
  await add('payment_requests', { id: 'request', state: 'settled' })
  await add('items', { id: 'item', status: 202, message: BEING_WRITTEN })
  await add('writes', { item_id: 'item', state: 'writing' })
  await add('tx_chains', { id: 1 })
  const logs = (['warn', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
  return () => {
    for (const log of logs) log.mockRestore()
  }
})

/** Sends all that has no block. */
async function send(answers: Record<string, RpcOutcome> = {}) {
  const { context, sent } = node(answers)
  const unmined = await selectUnmined(DB, 'Bitcoin')
  const { context: noted, twice } = notedStep(context)
  const report = await sendAll(noted, TIP, unmined, unmined)
  expect(twice).toEqual([])
  return { report, sent }
}

describe('what is sent', () => {
  it('is 250 transactions in one request', async () => {
    await BUCKET.put('writer/many', new Uint8Array(251))
    const rows = { txid: "'t' || n", seq: 'n', bundle: "'writer/many'", offset: 'n - 1', state: "'signed'" }
    await addMany('transactions', 251, rows)
    const { report, sent } = await send()
    expect(sent.map(({ length }) => length)).toEqual([250, 1])
    expect(report.taken).toBe(251)
  })

  it('is a mebibyte of them', async () => {
    const most = 1 << 20
    await BUCKET.put('writer/large', new Uint8Array(2 * most))
    const lengths = [most, 1, most - 1]
    const rows = lengths.map((length, seq) => ({ txid: String(seq), bundle: 'writer/large', length, seq }))
    await add('transactions', ...rows.map((row) => ({ ...row, state: 'signed' })))
    const { sent } = await send()
    expect(sent.map(({ length }) => length)).toEqual([1, 2])
  })

  it('is counted, and taken at the height of now', async () => {
    await DB.prepare("UPDATE items SET message = 'Paid. It waits for coins.'").run()
    await sign('a')
    await send()
    expect(await states()).toEqual({ a: 'sent' })
    // Only what its node had refused is over.
    expect(await list('items', 'message')).toEqual(['Paid. It waits for coins.'])
    expect(await list('transactions', `attempts || ' ' || sent_height || ' ' || checked_height`)).toEqual(['1 100 100'])
  })

  it('is not given up for its fee where the wallet knows it: the first reply was lost, and others may have it', async () => {
    const inputs = [{ txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(0), sequence: 0, witness: [] }]
    const outputs = [{ value: 1n, script: new Uint8Array(1) }]
    const raw = encodeTransaction({ version: 2, lockTime: 0, inputs, outputs })
    const txid = transactionId(raw)
    await BUCKET.put('writer/raw', raw)
    const place = { bundle: 'writer/raw', length: raw.length }
    await add('transactions', { txid, ...place, state: 'signed', item_index: 0, attempts: 1, ...ITEM })
    const { context } = node({ sendrawtransaction: refuses('min relay fee not met') })
    const known = { hex: Buffer.from(raw).toString('hex'), confirmations: '0', timereceived: '1' }
    const rpc: AgentContext['rpc'] = async (calls, options) =>
      calls[0]?.method === 'gettransaction' ? calls.map(() => ({ result: known })) : await context.rpc(calls, options)
    const unmined = await selectUnmined(DB, 'Bitcoin')
    await sendAll({ ...context, rpc }, TIP, unmined, unmined)
    expect(await states()).toEqual({ [txid]: 'signed' })
    await sendAll(context, TIP, unmined, unmined)
    expect(await states()).toEqual({ [txid]: 'dead' })
  })

  it('is counted before the node is asked: a reply may be lost', async () => {
    await sign('a')
    const { context } = node()
    const attempts: unknown[] = []
    const rpc: AgentContext['rpc'] = async (calls, options) => {
      if (calls[0]?.method === 'sendrawtransaction') attempts.push(...(await list('transactions', 'attempts')))
      return await context.rpc(calls, options)
    }
    const unmined = await selectUnmined(DB, 'Bitcoin')
    await sendAll({ ...context, rpc }, TIP, unmined, unmined)
    expect(attempts).toEqual([1])
  })

  it('and is in a block already, is looked at again by the next look', async () => {
    await sign('a')
    await send({ a: refuses('transaction already in block chain', -27) })
    expect(await states()).toEqual({ a: 'sent' })
    expect(await list('transactions', `sent_height || ' ' || checked_height`)).toEqual(['99 99'])
  })

  it('is nothing that another step has given up meanwhile, nor what stands behind that', async () => {
    await add('tx_chains', { id: 2, coin_txid: 'second' })
    await sign('a')
    await sign('b', { ...ITEM, seq: 1 })
    await sign('c', { tx_chain: 2 })
    const { context, sent } = node()
    const unmined = await selectUnmined(DB, 'Bitcoin')
    await DB.prepare("UPDATE transactions SET state = 'dead' WHERE txid = 'a'").run()
    expect((await sendAll(context, TIP, unmined, unmined)).taken).toBe(1)
    expect(sent).toEqual([['c']])
    expect(await states()).toEqual({ a: 'dead', b: 'signed', c: 'sent' })
  })

  it('counts for nothing behind one that the node did not take, whatever it says of it', async () => {
    await sign('a')
    await sign('b', { ...ITEM, seq: 1 })
    expect((await send({ a: refuses('too-long-mempool-chain') })).report.taken).toBe(0)
    expect(await states()).toEqual({ a: 'signed', b: 'signed' })
  })

  it('is nothing behind such a one in a later request', async () => {
    await BUCKET.put('writer/large', new Uint8Array(2 << 20))
    const row = { bundle: 'writer/large', length: 1 << 20, state: 'signed' }
    await add('transactions', { ...row, txid: 'a' }, { ...row, txid: 'b', seq: 1 })
    const { sent } = await send({ sendrawtransaction: refuses('too-long-mempool-chain') })
    expect(sent).toHaveLength(1)
  })
})

describe('what the node refuses', () => {
  it.each([
    ['is made again at more than it was refused at where that is for its fee', 'min relay fee not met', '1500'],
    ['is made again at the rate of then where that is for anything else', 'txn-mempool-conflict', null],
  ])('%s', async (_, message, rate) => {
    await sign('a', { ...ITEM, fee: '3', vsize: 2 })
    await send({ a: refuses(message) })
    expect([await states(), await list('writes', 'refused_rate')]).toEqual([{ a: 'dead' }, [rate]])
  })

  it('is given up where it is of an item, which stops, and its tx chain goes on', async () => {
    await sign('a')
    expect((await send({ a: refuses('scriptpubkey') })).report).toMatchObject({ taken: 0, stopped: 1 })
    expect(await states()).toEqual({ a: 'dead' })
    expect(await list('tx_chains', 'state')).toEqual(['open'])
    expect(await list('items', `status || ' ' || message`)).toEqual([
      '409 The node refuses its transactions: scriptpubkey',
    ])
    expect(await list('failed_records', 'id')).toEqual([])
  })

  it('ends its tx chain where it is of a withdrawal, which fails', async () => {
    await add('withdrawals', { id: 'w', coin_txid: 'coin', coin_vout: 0, coin_value: '1', coin_script: '' })
    await sign('a', { withdrawal_id: 'w' })
    await send({ a: refuses('scriptpubkey') })
    expect(await states()).toEqual({ a: 'dead' })
    expect(await list('tx_chains', 'state')).toEqual(['closed'])
    expect(await list('withdrawals', `state || ' ' || reason`)).toEqual([
      'failed The node refuses to send it: scriptpubkey',
    ])
  })

  it('because another spends its coin ends its tx chain, and its item rests', async () => {
    await sign('a')
    await send({ a: refuses('txn-mempool-conflict') })
    expect(await states()).toEqual({ a: 'dead' })
    expect(await list('tx_chains', 'state')).toEqual(['closed'])
    expect(await list('items', 'status')).toEqual([202])
    expect(await list('failed_records', 'id')).toEqual(['item'])
  })

  it('because of its fee has its item rest, which says so, until one of its transactions is taken', async () => {
    await add('items', { id: 'other', status: 202, message: 'Paid. It waits.' })
    await add('failed_records', { kind: 'refused', id: 'other' })
    await sign('a')
    await send({ a: refuses('min relay fee not met') })
    const messages = () => read('items', 'id', 'message')
    expect(await messages()).toEqual({
      item: 'Paid. It waits: the node finds its fees too low now (min relay fee not met). It is tried again automatically.',
      other: 'Paid. It waits.',
    })
    expect(await read('failed_records', 'id', 'tries')).toEqual({ item: 1, other: 1 })
    await sign('b', { ...ITEM, seq: 1 })
    await send()
    expect(await messages()).toEqual({ item: BEING_WRITTEN, other: 'Paid. It waits.' })
    expect(await list('failed_records', 'id')).toEqual(['other'])
  })
})

describe('what would pay more for a tx chain, and is refused,', () => {
  it('has the items of that tx chain rest, and of no other', async () => {
    await add('items', { id: 'other', status: 202 })
    await add('tx_chains', { id: 2, coin_txid: 'second' })
    await sign('a', { ...ITEM, state: 'sent', attempts: 1 })
    await sign('b', { tx_chain: 2, item_id: 'other', state: 'sent', attempts: 1 })
    await sign('bump', { seq: 1 })
    await send({ bump: refuses('min relay fee not met') })
    expect(await list('failed_records', 'id')).toEqual(['item'])
  })
})

describe('a tx chain whose signed bytes are gone', () => {
  const txChain = async (attempts: number) => {
    await sign('a', { ...ITEM, state: attempts > 0 ? 'sent' : 'signed', attempts })
    await sign('b', { ...ITEM, seq: 1 })
    await BUCKET.delete('writer/a')
    expect((await send()).sent).toEqual([])
    expect(await list('tx_chains', 'state')).toEqual(['closed'])
  }

  it('ends: what was sent stops its item until an operator decides, and what was not is given up', async () => {
    await txChain(1)
    expect(await states()).toEqual({ a: 'sent', b: 'dead' })
    // It is not looked at again before there is another block.
    expect(await read('transactions', 'txid', 'checked_height')).toMatchObject({ a: 100 })
    expect(await list('items', 'status')).toEqual([409])
  })

  it('is made anew where nothing of it was sent', async () => {
    await txChain(0)
    expect(await states()).toEqual({ a: 'dead', b: 'dead' })
    expect(await list('items', 'status')).toEqual([202])
  })

  it('is made anew where an operator says so, once', async () => {
    await DB.prepare('UPDATE writes SET replan = 1').run()
    await txChain(1)
    expect(await states()).toEqual({ a: 'dead', b: 'dead' })
    expect(await list('items', 'status')).toEqual([202])
    expect(await list('writes', 'replan')).toEqual([0])
  })
})
