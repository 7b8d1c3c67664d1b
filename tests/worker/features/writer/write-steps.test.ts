import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { storedKey } from '../../../../worker/features/items/sql/item-objects.ts'
import { writeItems } from '../../../../worker/features/writer/write-items.ts'
import { add, clear, list, type Row, read } from '../../rows.ts'
import { node, READY_NODE, refuses, sign, TIP } from './sending.ts'

const { DB, BUCKET } = env
const SCRIPT = `0014${'ab'.repeat(20)}`
const txid = (name: string) => name.padStart(64, '0')

/** What the node was asked by the last step. */
let asked: string[]

beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await clear(
    'failed_records',
    'stops',
    'transaction_inputs',
    'transactions',
    'tx_chains',
    'writes',
    'payment_requests',
  )
  await clear('withdrawals', 'items', 'blocks')
  await add('blocks', TIP)
  await add('tx_chains', { id: 1, coin_txid: txid('1'), coin_script: SCRIPT, script: SCRIPT })
  return () => vi.restoreAllMocks()
})

/** A paid item, of which nothing is signed unless `write` says so. */
async function addItem(id: string, write: Row = {}, status = 202): Promise<void> {
  await add('payment_requests', { id: `of ${id}`, state: 'settled' })
  await add('items', { id, status, stored_size: 10 })
  await add('writes', { item_id: id, request_id: `of ${id}`, state: 'writing', ...write })
  await BUCKET.put(storedKey(id), new Uint8Array(10))
}
const CUT = { data_bytes: 80, transactions: 1, next_index: 1 }

/**
 * One step with a wallet of one coin, whose node has room for what it is sent, or for none of that, or for none that is `new`: whether
 * another may follow, and what was sent.
 */
async function step(refused?: 'all' | 'new'): Promise<{ moved: boolean; sent: string[] }> {
  const coin = { txid: txid('c'), vout: '0', amount: '0.01', scriptPubKey: SCRIPT, address: 'own', confirmations: '9' }
  const { context, sent } = node({
    ...{ estimatesmartfee: { result: { feerate: '0.0001' } }, getmempoolinfo: { result: {} } },
    ...{ ...READY_NODE, listunspent: { result: [coin] } },
    ...{ getrawchangeaddress: { result: 'own' }, validateaddress: { result: { scriptPubKey: SCRIPT } } },
    ...{ listlockunspent: { result: [] }, lockunspent: { result: true } },
  })
  asked = []
  const rpc: typeof context.rpc = async (calls) => {
    asked.push(...calls.map(({ method }) => method))
    const method = calls[0]?.method
    if (method === 'signrawtransactionwithwallet') {
      return calls.map((call) => ({ result: { hex: call.params[0], complete: true } }))
    }
    const outcomes = await context.rpc(calls)
    if (method !== 'sendrawtransaction' || refused === undefined) return outcomes
    const isOld = (hex: unknown) => hex === Buffer.from('a').toString('hex')
    return calls.map(({ params: [hex] }) =>
      refused === 'new' && isOld(hex) ? { result: 'a' } : refuses('too-long-mempool-chain'),
    )
  }
  const moved = await writeItems({ ...context, rpc }, TIP, { knowsSends: true })
  return { moved, sent: sent.flat() }
}
const items = () => list('transactions', "IIF(item_id IS NULL, 'none', item_id) || ' ' || state")

describe('a step', () => {
  it('starts items of which the node has taken something, and forgets what is over', async () => {
    const { now } = node().context
    await addItem('begun', { state: 'queued', ...CUT })
    await addItem('new', { state: 'queued', ...CUT })
    await addItem('stored', { state: 'done' }, 200)
    await add('transactions', { txid: txid('b'), item_id: 'begun', item_index: 0, attempts: 1, checked_height: 100 })
    await add('failed_records', { kind: 'tx_chain', id: 'old', retry_at: now - 3_600_001 })
    await add('failed_records', { kind: 'tx_chain', id: 'new', retry_at: now - 3_600_000 })
    await add('failed_records', { kind: 'refused', id: 'stored' }, { kind: 'refused', id: 'begun' })
    await step()
    expect(await read('writes', 'item_id', 'state')).toEqual({ begun: 'writing', new: 'queued', stored: 'done' })
    expect(await list('failed_records', "kind || ' ' || id")).toEqual(['refused begun', 'tx_chain new'])
  })

  it('leaves alone what the mempool has, and the fees where nothing is to be made', async () => {
    await addItem('item', CUT)
    await sign('a', { item_id: 'item', item_index: 0, state: 'sent', attempts: 1, sent_height: 99 })
    expect(await step()).toEqual({ moved: false, sent: [] })
    await clear('transactions', 'writes')
    await step()
    expect(asked).not.toContain('estimatesmartfee')
  })

  it('asks for another where the node took something, and for none where it took nothing', async () => {
    await addItem('item', CUT)
    await sign('a', { item_id: 'item', item_index: 0 })
    expect(await step('all')).toMatchObject({ moved: false, sent: ['a'] })
    await DB.prepare('UPDATE transactions SET checked_height = 99').run()
    await clear('failed_records')
    expect(await step()).toEqual({ moved: true, sent: ['a'] })
  })

  it('sends what it has just signed, and nothing again that the node refused at this block', async () => {
    await addItem('refused', CUT)
    await sign('r', { item_id: 'refused', item_index: 0, attempts: 1, checked_height: TIP.height })
    await addItem('item')
    const { moved, sent } = await step()
    expect([moved, sent.length, sent.includes('r')]).toEqual([true, 1, false])
    expect(await items()).toEqual(['item sent', 'refused signed'])
  })

  it('asks for none where the node did not take what was just signed, unless it took something before', async () => {
    await addItem('item')
    expect(await step('all')).toMatchObject({ moved: false, sent: [expect.anything()] })
    expect(await items()).toEqual(['item signed'])
    await clear('transaction_inputs', 'transactions', 'failed_records', 'writes', 'payment_requests', 'items')
    await addItem('old', CUT)
    await sign('a', { item_id: 'old', item_index: 0 })
    await addItem('item')
    expect(await step('new')).toMatchObject({ moved: true, sent: ['a', expect.anything()] })
    expect(await items()).toEqual(['item signed', 'old sent'])
  })

  it('sends the payout that it has just signed', async () => {
    await add('withdrawals', { id: 'w', amount: '5000', fee: '9000', fee_rate: '100000', script: SCRIPT, address: 'x' })
    const { moved, sent } = await step()
    expect([moved, sent.length, await list('transactions', "withdrawal_id || ' ' || state")]).toEqual([
      true,
      1,
      ['w sent'],
    ])
  })

  it('signs no bump beside items that it has signed: what it saw of tx chains is not so any more', async () => {
    await add('tx_chains', { id: 2, coin_txid: txid('2'), coin_script: SCRIPT, script: SCRIPT })
    await addItem('stuck', CUT)
    const waits = { tx_chain: 2, attempts: 1, sent_height: 90, checked_height: 100, vsize: 200, fee: '200' }
    await add('transactions', { txid: txid('b'), item_id: 'stuck', item_index: 0, change_value: '100000', ...waits })
    await addItem('item')
    await step()
    expect(await items()).toEqual(['item sent', 'stuck sent'])
    await step()
    expect(await items()).toEqual(['item sent', 'none sent', 'stuck sent'])
  })
})

describe('while an operator has stopped', () => {
  const stop = (part: string) => add('stops', { blockchain: 'Bitcoin', part, cause: 'hand', reason: '', since: 0 })

  it('writing, a step signs neither items nor what pays more', async () => {
    await stop('writing')
    await addItem('stuck', CUT)
    const waits = { attempts: 1, sent_height: 90, checked_height: 100, vsize: 200, fee: '200' }
    await add('transactions', { txid: txid('b'), item_id: 'stuck', item_index: 0, change_value: '100000', ...waits })
    await addItem('item')
    expect(await step()).toEqual({ moved: false, sent: [] })
    expect(await items()).toEqual(['stuck sent'])
  })

  it('payouts, a withdrawal that waits asks for no other step', async () => {
    await stop('payouts')
    await add('withdrawals', { id: 'w', fee_rate: '100000' })
    expect(await step()).toEqual({ moved: false, sent: [] })
  })
})
