import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { storedKey } from '../../../../worker/features/items/sql/item-objects.ts'
import { selectToWrite } from '../../../../worker/features/items/sql/writes.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { indexId, readIndexData } from '../../../../worker/features/writer/plan/read-index-data.ts'
import { planWrites } from '../../../../worker/features/writer/plan-writes.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, addMany, clear, list, type Row, read } from '../../rows.ts'

const { DB, BUCKET } = env
const NOW = 1_800_000_000_000
const SCRIPT = `0014${'ab'.repeat(20)}`
const txid = (name: string) => name.padStart(64, '0')
/** An open tx chain that nothing was made in yet. */
const TX_CHAIN = { id: 1, coin_txid: txid('c'), coin_value: '1000000', coin_script: SCRIPT, script: SCRIPT }

/** The coins of the wallet, of 0.01 each, and those of them that customers have paid 60 blocks ago. */
let coins: string[]
let resting: string[]
/** The outputs that somebody has spent, those that were asked for, and what else the node was asked. */
let spent: Set<unknown>
let asked: unknown[]
let methods: Set<string>
/** What was given to the wallet to be signed, and what another step does meanwhile. */
let made: string[]
let meanwhile: () => Promise<unknown>
let warn: ReturnType<typeof vi.spyOn>
let error: ReturnType<typeof vi.spyOn>

beforeEach(async () => {
  await clear(
    'failed_records',
    'incidents',
    'transaction_inputs',
    'transactions',
    'tx_chains',
    'writes',
    'payment_requests',
  )
  await clear('withdrawals', 'addresses', 'item_txids', 'items')
  await add('addresses', { address: 'paid' })
  ;[coins, resting, spent, asked, methods] = [['c'], [], new Set(), [], new Set()]
  ;[made, meanwhile] = [[], async () => {}]
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  error = vi.spyOn(console, 'error').mockImplementation(() => {})
  return () => vi.restoreAllMocks()
})

/** A paid item of so many bytes, which are stored. */
async function addItem(
  id: string,
  { bytes = 10, quote = '1000000000', message = '', ...write }: Row & { bytes?: number; quote?: string } = {},
): Promise<void> {
  await add('payment_requests', { id: `of ${id}`, state: 'settled', fee_rate: quote })
  await add('items', { id, status: 202, stored_size: bytes, message })
  await add('writes', { item_id: id, request_id: `of ${id}`, ...write })
  await BUCKET.put(storedKey(id), new Uint8Array(bytes).fill(id.charCodeAt(0)))
}

function answer({ method, params: [first] }: RpcCall): RpcOutcome {
  const coin = (name: string, address: string, confirmations: string) => ({
    ...{ txid: txid(name), vout: '0', amount: '0.01', scriptPubKey: SCRIPT, address, confirmations },
  })
  methods.add(method)
  if (method === 'gettxout') asked.push(first)
  if (method.startsWith('sign')) made.push(String(first))
  const results: Record<string, unknown> = {
    estimatesmartfee: { feerate: '0.00001' },
    getmempoolinfo: {},
    getrawchangeaddress: 'address',
    validateaddress: { scriptPubKey: SCRIPT },
    gettxout: spent.has(first) ? null : {},
    listunspent: [...coins.map((name) => coin(name, 'own', '9')), ...resting.map((name) => coin(name, 'paid', '40'))],
    signrawtransactionwithwallet: { hex: first, complete: true },
  }
  return { result: method in results ? results[method] : {} }
}

/** One plan for all that is paid, at a fee rate of 1,000 base units for 1,000 vbytes; whether anything may be sent. */
async function plan(maxTxChains = 8): Promise<boolean> {
  const context = contextOf('Bitcoin', NOW)
  const own = { ...context, config: { ...context.config, maxTxChains } }
  const rpc = async (calls: readonly RpcCall[]) => {
    if (calls.some(({ method }) => method.startsWith('sign'))) await meanwhile()
    return calls.map(answer)
  }
  return await planWrites({ ...own, rpc }, await selectToWrite(DB, 'Bitcoin'), await selectUnmined(DB, 'Bitcoin'))
}
const signed = () => list('transactions', "item_id || ' ' || item_index")

describe('what is signed of paid items', () => {
  it('spends the end of an open tx chain, which the wallet lists as well, once', async () => {
    await add('tx_chains', TX_CHAIN)
    // Worth two tx chains.
    await addItem('large', { bytes: 30 * 80, state: 'writing' })
    expect(await plan()).toBe(true)
    expect(await list('transactions', 'tx_chain')).toEqual(new Array(24).fill(1))
    expect((await list('tx_chains', 'coin_txid')).filter((coin) => coin === txid('c'))).toEqual([txid('c')])
  })

  it('is nothing, and the wallet is left alone, where nothing lacks and where every tx chain is full or waits to be sent', async () => {
    const wallet = () => [...methods].filter((method) => ['listunspent', 'getrawchangeaddress'].includes(method))
    expect([await plan(), wallet()]).toEqual([false, []])
    await addItem('item')
    await add('tx_chains', TX_CHAIN)
    await addMany('transactions', 24, { txid: "printf('%064x', n)", seq: 'n', item_id: "'other'", attempts: '1' })
    expect([await plan(1), wallet()]).toEqual([false, []])
    await DB.prepare('DELETE FROM transactions WHERE seq < 24').run()
    await DB.prepare("UPDATE transactions SET state = 'signed'").run()
    expect([await plan(1), wallet()]).toEqual([false, []])
    await DB.prepare("UPDATE transactions SET state = 'sent', change_value = '1000000'").run()
    expect([await plan(1), await signed()]).toEqual([true, [null, 'item 0']])
  })

  it('goes on in a tx chain under its script, and opens one under a new script of the wallet', async () => {
    const script = `0014${'cd'.repeat(20)}`
    await add('tx_chains', { ...TX_CHAIN, script })
    await addItem('small')
    expect([await plan(), methods.has('getrawchangeaddress')]).toEqual([true, false])
    expect(warn).not.toHaveBeenCalled()
    await clear('transaction_inputs', 'transactions', 'writes')
    await addItem('large', { bytes: 30 * 80, state: 'writing' })
    coins = ['c', 'd']
    expect(await plan()).toBe(true)
    expect(await read('tx_chains', 'coin_txid', 'script')).toEqual({ [txid('c')]: script, [txid('d')]: SCRIPT })
  })

  it('is the bytes of each, in their parts', async () => {
    await addItem('a', { bytes: 100, state: 'writing' })
    await addItem('b', { bytes: 170, state: 'writing' })
    expect(await plan()).toBe(true)
    const data = made.map((hex) => /(?:61){5,}|(?:62){5,}/.exec(hex)?.[0] ?? '')
    const [a, b] = ['61', '62']
    expect(data.sort()).toEqual([a.repeat(20), a.repeat(80), b.repeat(10), b.repeat(80), b.repeat(80)])
    const cut = await read('writes', 'item_id', "data_bytes || ' ' || transactions || ' ' || next_index")
    expect(await list('incidents', 'code')).toEqual([])
    expect(cut).toEqual({ a: '80 2 2', b: '80 3 3' })
  })

  it('is of fifty items at a time that lack something', async () => {
    coins = ['a', 'b', 'c']
    for (let n = 0; n < 50; n++) {
      await addItem(`whole-${n}`, { state: 'writing', data_bytes: 80, transactions: 1, next_index: 1 })
    }
    for (let n = 0; n < 51; n++) await addItem(`new-${n}`, { created_at: 1 + n })
    expect(await plan()).toBe(true)
    expect((await signed()).length).toBe(50)
    expect(await signed()).not.toContain('new-50 0')
  })

  it('is of what pays enough, behind however many that do not', async () => {
    await add('payment_requests', { id: 'dear', state: 'settled', fee_rate: '1' })
    await addMany('items', 1_000, { status: '202', stored_size: '10' })
    await DB.prepare(
      `INSERT INTO writes (item_id, blockchain, target, request_id, state, created_at)
       SELECT id, 'Bitcoin', 'Bitcoin', 'dear', 'queued', 0 FROM items`,
    ).run()
    await addItem('payable', { quote: '1000', created_at: 1 })
    expect([await plan(), await signed()]).toEqual([true, ['payable 0']])
  })

  it('pays half as much again as a node found too cheap, at or above the rate of now, within what it may', async () => {
    for (const [id, quote, refused_rate] of [
      ['within', '10000', '2000'],
      ['at the most', '1000', '2000'],
      ['long ago', '10000', '999'],
    ] as const) {
      await clear('transaction_inputs', 'transactions', 'tx_chains', 'writes')
      await addItem(id, { quote, refused_rate })
      await plan()
      const rates = { within: 3_000, 'at the most': 2_000, 'long ago': 1_000 }
      expect(await read('transactions', 'item_id', 'fee * 1000 / vsize'), id).toEqual({ [id]: rates[id] })
    }
  })
})

describe('items whose stored bytes are gone', () => {
  it('are stopped, all or in part, which operators are told; others are written by the next plan', async () => {
    for (const id of ['gone', 'short', 'whole']) await addItem(id, { bytes: 100 })
    await BUCKET.delete(storedKey('gone'))
    await BUCKET.put(storedKey('short'), new Uint8Array(79))
    expect([await plan(), await signed()]).toEqual([true, []])
    expect(await read('items', 'id', 'status')).toEqual({ gone: 409, short: 409, whole: 202 })
    expect(await read('writes', 'item_id', 'state')).toEqual({ gone: 'parked', short: 'parked', whole: 'queued' })
    expect(error).toHaveBeenCalledWith('stored_bytes_gone', 'Bitcoin', 'gone,short')
    expect([await plan(), await signed()]).toEqual([true, ['whole 0']])
  })
})

describe('the index of a stored item', () => {
  const txids = ['a'.repeat(64)]
  const id = indexId('i', txids)
  async function addIndex({ more = 0, status = 200 } = {}): Promise<void> {
    await addItem('i', { state: 'done' })
    await DB.prepare(`UPDATE items SET status = 200, sha256 = '${'d'.repeat(64)}'`).run()
    await add('item_txids', { item_id: 'i', txids: txids.join('') })
    const length = (await readIndexData(DB, { itemId: id, indexOf: 'i' }))?.length ?? 0
    await DB.prepare('UPDATE items SET status = ?').bind(status).run()
    const write = { index_of: 'i', data_bytes: length + more, transactions: 1 }
    await add('writes', { item_id: id, request_id: 'of i', ...write })
  }

  it('is signed as it names the item', async () => {
    await addIndex()
    expect([await plan(), await signed()]).toEqual([true, [`${id} 0`]])
  })

  it.each([{ more: 1 }, { status: 409 }])('is given up where the item is another by now: %j', async (change) => {
    await addIndex(change)
    expect([await plan(), await signed()]).toEqual([true, []])
    expect(await read('writes', 'item_id', 'state')).toEqual({ i: 'done', [id]: 'done' })
    expect(await read('items', 'id', 'status')).toEqual({ i: change.status ?? 200 })
    expect(error).not.toHaveBeenCalled()
  })

  it('waits for coins without a word to anybody', async () => {
    coins = []
    await addIndex()
    expect(await plan()).toBe(false)
    expect(warn).not.toHaveBeenCalled()
  })
})

describe('a tx chain whose coin others have spent', () => {
  it('is closed where nothing of it waits, and its coin is there to be spent; others go on', async () => {
    await add('tx_chains', ...['a', 'b', 'c'].map((coin, n) => ({ ...TX_CHAIN, id: n + 1, coin_txid: txid(coin) })))
    await add('transactions', { txid: txid('c1'), tx_chain: 3, item_id: 'other', change_value: '1000000', attempts: 1 })
    await add('tx_chains', { ...TX_CHAIN, id: 4, coin_txid: txid('c1'), coin_vout: 1 })
    ;[coins, spent] = [[], new Set([txid('a'), txid('c1')])]
    await addItem('item')
    expect(await plan()).toBe(true)
    expect(await read('tx_chains', 'id', 'state')).toEqual({ 1: 'closed', 2: 'open', 3: 'open', 4: 'open' })
    expect(warn.mock.calls).toEqual([['tx_chains_spent', 'Bitcoin', '1', expect.any(String)]])
    expect(asked).toEqual([txid('a'), txid('b')])
    expect(await read('transactions', 'item_id', 'tx_chain')).toEqual({ item: 2, other: 3 })
  })
})

it('a tx chain that has not the money for anything that is paid is closed, though nothing can be signed', async () => {
  await add('tx_chains', { ...TX_CHAIN, coin_value: '600' })
  coins = []
  await addItem('item')
  expect([await plan(), await list('tx_chains', 'state')]).toEqual([false, ['closed']])
})

describe('what payers are told of items that wait', () => {
  const messages = () => read('items', 'id', 'message')

  it('is that coins lack, and when the first may be spent where that is known', async () => {
    coins = []
    await add('incidents', { blockchain: 'Bitcoin', code: 'tx_chains_full', reason: 'withdrawals wait', since: 0 })
    await addItem('item')
    expect(await plan()).toBe(false)
    expect(warn).toHaveBeenCalledWith('coins_missing', 'Bitcoin', '1 paid items wait')
    const waits = "Paid. It waits: the service has no coins free for the network's fees."
    expect(await messages()).toEqual({ item: `${waits} Writing continues automatically.` })
    resting = ['r']
    await plan()
    const when = 'The next become free in 60 blocks, about 600 minutes.'
    expect(await messages()).toEqual({ item: `${waits} ${when} Writing continues automatically.` })
    // What is said of withdrawals that wait for tx chains is not over.
    expect(await list('incidents', 'code')).toEqual(['tx_chains_full'])
    const prepare = vi.spyOn(DB, 'prepare')
    await plan()
    expect(prepare.mock.calls.flat().filter((sql) => sql.startsWith('UPDATE items'))).toEqual([])
  })

  it('is that tx chains are full, as operators are told until it ends, and then that it is written', async () => {
    for (const id of [1, 2, 3, 4]) {
      await add('tx_chains', { ...TX_CHAIN, id, coin_txid: txid(`l${id}`) })
      await add('transactions', { txid: txid(`t${id}`), tx_chain: id, state: 'signed', checked_height: 9 })
    }
    await addItem('item')
    await addItem('other', { message: 'else', state: 'writing', data_bytes: 80, transactions: 1, next_index: 1 })
    expect(await plan(1)).toBe(false)
    expect(await messages()).toEqual({ item: expect.stringContaining('too many transactions'), other: 'else' })
    expect(await read('incidents', 'code', 'since')).toEqual({ tx_chains_full: NOW })
    await plan(1)
    expect(await read('incidents', 'code', 'since')).toEqual({ tx_chains_full: NOW })
    // It is told when it begins.
    await clear('incidents')
    await plan(1)
    expect(await list('incidents', 'code')).toEqual([])
    await add('incidents', { blockchain: 'Bitcoin', code: 'tx_chains_full', reason: '', since: 0 })
    await DB.prepare("UPDATE tx_chains SET state = 'closed'").run()
    expect(await plan(1)).toBe(true)
    expect(await list('incidents', 'code')).toEqual([])
    expect(await messages()).toEqual({ item: 'Paid. It is being written.', other: 'else' })
  })

  const WAITED = "Paid. It waits: the service has no coins free for the network's fees."

  it('is no longer that coins lack once some of it is signed, and nothing else is told anew', async () => {
    await addItem('other', { message: 'else' })
    for (let n = 0; n < 24; n++) await addItem(`waited-${n}`, { message: WAITED, created_at: 1 + n })
    expect(await plan(1)).toBe(true)
    const now = await messages()
    expect([now.other, now['waited-22'], now['waited-23']]).toEqual(['else', 'Paid. It is being written.', WAITED])
    // How the last is cut is not decided before some of it is signed.
    expect(await list('writes', "IIF(data_bytes IS NULL, item_id, '')")).toContain('waited-23')
  })

  it('is nothing by a step that was too late to sign it', async () => {
    await addItem('item', { message: WAITED })
    meanwhile = async () => await DB.prepare('UPDATE writes SET next_index = 1').run()
    expect([await plan(), await signed(), await messages()]).toEqual([false, [], { item: WAITED }])
  })
})

it('the write of an index has an id that is the same in every version: it is stored', () => {
  expect(indexId('item', ['a', 'b'])).toBe('item.fb8e20fc2e4c3f24')
})
