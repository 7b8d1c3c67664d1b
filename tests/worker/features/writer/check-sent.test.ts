import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, transactionId, txidBytes } from '../../../../protocol/transaction.ts'
import { readBlockHeader } from '../../../../worker/chain/rpc/block-header.ts'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { checkSent } from '../../../../worker/features/writer/follow/check-sent.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { memoryNumbers } from '../../../kit/in-process/memory-numbers.ts'
import { notedStep } from '../../noted-step.ts'
import { add, addMany, clear, list, type Row, read } from '../../rows.ts'
import { states } from './sending.ts'

const { DB, BUCKET } = env
const ELSEWHERE = 'ab'.repeat(32)

/** A transaction that spends the first output of another. */
function spend(source: string) {
  const input = { txid: source, vout: 0, script: new Uint8Array(0), sequence: 0xffff_fffd, witness: [] }
  const outputs = [{ value: 1_000n, script: Uint8Array.of(0x51) }]
  const bytes = encodeTransaction({ version: 1, inputs: [input], outputs, lockTime: 0 })
  return { txid: transactionId(bytes), bytes, hex: toHex(bytes) }
}

const PARENT = spend(ELSEWHERE)
const OURS = spend(PARENT.txid)

/** A block that holds one transaction alone. */
function blockOf(txid: string) {
  const header = new Uint8Array(80)
  header.set(txidBytes(txid), 36)
  const hash = readBlockHeader(toHex(header))?.hash ?? ''
  return { hash, header: toHex(header) }
}

const BLOCK = blockOf(OURS.txid)
const known = (one: typeof OURS, more: object) => ({ hex: one.hex, details: [], confirmations: '0', ...more })

/** What a node has; of what is not said it has nothing. Unless it `takes` transactions it finds no coin of theirs. */
interface Node {
  takes?: boolean
  /** Txids whose outputs are unspent. */
  unspent?: readonly string[]
  mempool?: readonly string[]
  wallet?: Readonly<Record<string, object | undefined>>
  /** Given each request. */
  hear?: (calls: readonly RpcCall[]) => void
}

function answer(
  { takes, unspent = [], mempool = [], wallet = {} }: Node,
  { method, params: [name] }: RpcCall,
): RpcOutcome {
  const of = String(name)
  const found = (result: unknown): RpcOutcome =>
    result === undefined ? { error: { code: -5, message: 'not found' } } : { result }
  if (method === 'getmempoolentry') return found(mempool.includes(of) ? {} : undefined)
  if (method === 'gettransaction') return found(wallet[of])
  if (method === 'getblockheader') return found(of === BLOCK.hash ? BLOCK.header : undefined)
  if (method === 'getblock') return found(of === BLOCK.hash ? { tx: [OURS.txid] } : undefined)
  if (method === 'gettxout') return { result: unspent.includes(of) ? {} : null }
  if (takes) return { result: '' }
  return { error: { code: -25, message: 'bad-txns-inputs-missingorspent' } }
}

beforeEach(async () => {
  await clear('failed_records', 'events', 'transactions', 'tx_chains', 'blocks', 'writes', 'payment_requests', 'items')
  await add('payment_requests', { id: 'request', state: 'settled' })
  await add('items', { id: 'item', status: 202 })
  await add('writes', { item_id: 'item', state: 'writing' })
  await add('tx_chains', { id: 1 })
  await BUCKET.put('writer/ours', OURS.bytes)
  const logs = (['warn', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
  return () => {
    for (const log of logs) log.mockRestore()
  }
})

/** One of ours that was sent, as far as it is not said otherwise. */
async function addOurs(row: Row = {}): Promise<void> {
  const { txid, bytes } = OURS
  const place = { bundle: 'writer/ours', length: bytes.length }
  await add('transactions', {
    txid,
    ...place,
    item_id: 'item',
    item_index: 0,
    attempts: 1,
    sent_height: 90,
    checked_height: 99,
    ...row,
  })
}

/** Looks after what was sent, at a height and a block of that, and says what the node was sent. */
async function check(node: Node, height = 100, hash = BLOCK.hash): Promise<unknown[]> {
  await clear('blocks')
  await add('blocks', { height, hash: BLOCK.hash })
  const sent: unknown[] = []
  const context = {
    ...{ blockchain: 'Bitcoin' as const, config: readConfig(env), db: DB, bucket: BUCKET, now: 1_800_000_000_000 },
    rpc: async (calls: readonly RpcCall[]) => {
      node.hear?.(calls)
      sent.push(...calls.flatMap(({ method, params }) => (method === 'sendrawtransaction' ? params[0] : [])))
      return calls.map((call) => answer(node, call))
    },
    numbers: memoryNumbers(),
  }
  const unmined = await selectUnmined(DB, 'Bitcoin')
  const orphaned = unmined.filter(({ state }) => state === 'signed')
  const { context: noted, twice } = notedStep(context)
  await checkSent(noted, { height, hash }, unmined, orphaned)
  expect(twice).toEqual([])
  return sent
}

const heights = (column: string) => list('transactions', `state || ' ' || IFNULL(${column}, '')`)
const status = () => list('items', 'status')
/** Its wallet knows the parent, in a block, so that something else has spent that. */
const SPENT = { wallet: { [PARENT.txid]: known(PARENT, { confirmations: '5' }) } }

describe('what a block has passed by', () => {
  it('is asked for once for each block, and left alone where the mempool has it', async () => {
    await addOurs()
    expect(await check({ mempool: [OURS.txid] })).toEqual([])
    expect(await heights('checked_height')).toEqual(['sent 100'])
  })

  it('is put into the block that the wallet knows it in', async () => {
    await addOurs()
    expect(
      await check({ wallet: { [OURS.txid]: known(OURS, { confirmations: '1', blockhash: BLOCK.hash }) } }),
    ).toEqual([])
    expect(await heights('block_height')).toEqual(['mined 100'])
  })

  it('is left alone where that is a block that was not followed yet', async () => {
    await addOurs()
    const wallet = { [OURS.txid]: known(OURS, { confirmations: '1', blockhash: 'f'.repeat(64) }) }
    expect(await check({ wallet })).toEqual([])
    expect(await heights('block_height')).toEqual(['sent '])
  })

  it('is sent again where the mempool has lost it, also where the wallet never knew it', async () => {
    await addOurs()
    expect(await check({ takes: true, wallet: { [OURS.txid]: known(OURS, {}) } })).toEqual([OURS.hex])
    expect(await check({ takes: true }, 101)).toEqual([OURS.hex])
    expect(await list('transactions', 'attempts')).toEqual([3])
  })

  it('is sent again behind what it stands on where that is lost, too', async () => {
    await addOurs()
    expect(await check({ wallet: { [PARENT.txid]: known(PARENT, {}) } })).toEqual([OURS.hex, PARENT.hex])
    expect(await status()).toEqual([202])
  })
})

describe('of many that a block has passed by', () => {
  it('the wallet is asked for 200 at a time', async () => {
    const bundle = "'writer/ours'"
    await addMany('transactions', 401, { txid: "'t' || n", seq: 'n', bundle, item_id: "'item'", item_index: 'n' })
    const asked: number[] = []
    const hear = (calls: readonly RpcCall[]) => {
      if (calls[0]?.method === 'gettransaction') asked.push(calls.length)
    }
    await check({ takes: true, hear })
    expect(asked).toEqual([200, 200, 1])
  })

  it('20 MiB are sent again by one step, and the rest by the next', async () => {
    await add('tx_chains', { id: 2, coin_txid: 'b' }, { id: 3, coin_txid: 'c' })
    // There are no such bytes in the bucket: what is to be sent again is given up.
    const lengths = [10 << 20, 10 << 20, 1]
    const row = { bundle: 'writer/none' }
    await add('transactions', ...lengths.map((length, n) => ({ ...row, txid: `t${n}`, tx_chain: n + 1, length })))
    await check({})
    expect(await states()).toEqual({ t0: 'dead', t1: 'dead', t2: 'sent' })
    await check({})
    expect(await states()).toEqual({ t0: 'dead', t1: 'dead', t2: 'dead' })
  })
})

describe('what somebody else has spent the coin of', () => {
  it('stops its item, and is made anew after six more blocks', async () => {
    await addOurs()
    await check(SPENT)
    expect(await status()).toEqual([409])
    expect(await list('items', 'message')).toEqual([expect.stringContaining('when that is 6 blocks deep')])
    expect(await heights('spent_height')).toEqual(['sent 100'])
    await check(SPENT, 105)
    expect([await heights('checked_height'), await list('tx_chains', 'state')]).toEqual([['sent 105'], ['open']])
    await check(SPENT, 106)
    expect([await heights('spent_height'), await list('tx_chains', 'state')]).toEqual([['dead 100'], ['closed']])
  })

  it.each<[string, Row]>([
    ['that no node was given', { state: 'signed', attempts: 0 }],
    ['that carries no item', { item_id: null }],
  ])('is made anew at once where it is one %s', async (_, row) => {
    await addOurs(row)
    await check(SPENT)
    expect([await heights('spent_height'), await list('tx_chains', 'state')]).toEqual([['dead '], ['closed']])
    expect(await status()).toEqual([202])
  })

  it('is made anew after six more blocks, too, where a withdrawal stands before its item', async () => {
    await addOurs({ item_id: null, item_index: null, withdrawal_id: 'w' })
    await add('transactions', { txid: 'behind', seq: 1, item_id: 'item', item_index: 0, attempts: 1, state: 'signed' })
    await check(SPENT)
    await check(SPENT, 106)
    expect(await list('transactions', 'state')).toEqual(['dead', 'dead'])
  })

  it.each<[string, Node]>([
    ['it is unspent', { ...SPENT, unspent: [PARENT.txid] }],
    ['what makes it waits in the mempool, unknown to the wallet', { mempool: [PARENT.txid] }],
  ])('is left alone where %s after all', async (_, node) => {
    await addOurs()
    await check(node)
    expect([await status(), await heights('spent_height')]).toEqual([[202], ['sent ']])
  })

  it('is left alone where it has spent it itself, in a block that came while it was looked after', async () => {
    await addOurs()
    let asked = 0
    const wallet = {
      ...SPENT.wallet,
      get [OURS.txid]() {
        return asked++ > 0 ? known(OURS, { confirmations: '1', blockhash: BLOCK.hash }) : undefined
      },
    }
    await check({ wallet })
    expect([await status(), await heights('block_height')]).toEqual([[202], ['mined 100']])
  })

  it('is made anew at once where an operator says so, once', async () => {
    await addOurs()
    await DB.prepare('UPDATE writes SET replan = 1').run()
    await check(SPENT)
    expect(await heights('spent_height')).toEqual(['dead '])
    expect(await read('writes', 'item_id', 'replan')).toEqual({ item: 0 })
    expect(await status()).toEqual([202])
  })
})

describe('what pays a withdrawal and stands on a transaction that left the chain and that the node does not take again', () => {
  const LOST = { wallet: { [PARENT.txid]: known(PARENT, {}) } }

  it('is never given up, however many blocks come: what it stands on may come back, and it with that', async () => {
    await addOurs({ item_id: null, item_index: null, withdrawal_id: 'w' })
    await check(LOST)
    expect(await heights('spent_height')).toEqual(['sent 100'])
    await check(LOST, 106)
    await check(LOST, 300)
    expect(await heights('spent_height')).toEqual(['sent 100'])
  })

  it('has an item behind it say that, and not after how many blocks it is written', async () => {
    await addOurs({ item_id: null, item_index: null, withdrawal_id: 'w' })
    await add('transactions', {
      txid: 'b',
      tx_chain: 1,
      seq: 1,
      item_id: 'item',
      item_index: 0,
      state: 'signed',
      attempts: 1,
    })
    await check(LOST)
    await check(LOST, 300)
    const told = 'the operator gives it up.'
    expect(await list('items', `substr(message, -${told.length})`)).toEqual([told])
  })

  it('lets its item go on where the mempool has it again, but not where that was never lost', async () => {
    await addOurs()
    await check(LOST)
    expect(await list('failed_records', 'id')).toEqual(['item'])
    await check({ mempool: [OURS.txid] }, 101)
    expect([await list('failed_records', 'id'), await heights('spent_height')]).toEqual([[], ['sent ']])
    await add('failed_records', { kind: 'refused', id: 'item' })
    await check({ mempool: [OURS.txid] }, 102)
    expect(await list('failed_records', 'id')).toEqual(['item'])
  })

  it('is given up and made anew where it carries a piece of an item, after six blocks', async () => {
    await addOurs()
    await check(LOST)
    // Nothing more is to stand on what may never be mined.
    expect(await list('tx_chains', 'state')).toEqual(['closed'])
    await check(LOST, 105)
    expect(await heights('spent_height')).toEqual(['sent 100'])
    expect(await list('failed_records', 'tries')).toEqual([2])
    await check(LOST, 106)
    expect(await heights('spent_height')).toEqual(['dead 100'])
  })
})

describe('what can not be mined on a chain that is not followed any more', () => {
  const LOST = { wallet: { [PARENT.txid]: known(PARENT, {}) } }
  const OTHER = 'e'.repeat(64)

  it.each<[string, Node, Row]>([
    ['given up', SPENT, { state: 'signed', attempts: 0 }],
    ['noted as spent otherwise', SPENT, {}],
    ['noted as without what it stands on', LOST, {}],
  ])('is not %s', async (_, node, row) => {
    await addOurs(row)
    const before = await heights('spent_height')
    await check(node, 100, OTHER)
    expect([await heights('spent_height'), await list('tx_chains', 'state')]).toEqual([before, ['open']])
    expect([await status(), await list('failed_records', 'id')]).toEqual([[202], []])
    await check(node)
    expect(await heights('spent_height')).not.toEqual(before)
  })
})
