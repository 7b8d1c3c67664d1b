import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  assertNoMoneyStatement,
  dropOutputsStatement,
  markCreditedStatements,
  selectBlockHashes,
  selectCreditable,
  selectOutputsByAddress,
  selectUnminedTxids,
  unmineOutputsAboveStatements,
  updateInMempoolStatement,
  upsertOutputsStatements,
} from '../../../../../worker/features/payments/sql/outputs.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { faultyEnv } from '../../../faulty-env.ts'
import { add, addMany, list, read } from '../../../rows.ts'
import { clearTables } from './clear-tables.ts'

const { DB } = env
const STATES = ['open', 'seen', 'settled', 'expired', 'cancelled']

beforeEach(clearTables)

describe('outputs', () => {
  const output = (txid: string, given: Record<string, unknown> = {}) => ({
    ...{
      txid,
      vout: 0,
      address: 'a',
      amount: 1n,
      coinbase: false,
      seenAt: 0,
      inMempool: true,
      blockHash: undefined,
      blockHeight: undefined,
    },
    ...given,
  })

  it('take the place that the chain gives them now, in a block that is followed', async () => {
    await add(
      'blocks',
      { height: 5, hash: 'h' },
      { height: 6, hash: 'i' },
      { height: 5, hash: 'd', blockchain: 'Dogecoin' },
      { height: 3, hash: 'c', blockchain: 'Dogecoin' },
    )
    await add(
      'outputs',
      { txid: 'back', address: 'a', dropped: 1, gone_at: 3 },
      { txid: 'stays', address: 'a', dropped: 1, gone_at: 3 },
    )
    const mined = { inMempool: false }
    await DB.batch(
      upsertOutputsStatements(DB, 'Bitcoin', [
        ...[output('seen'), output('mined', { ...mined, blockHash: 'h', blockHeight: 5 })],
        ...[
          output('other', { ...mined, blockHash: 'd', blockHeight: 5 }),
          output('moved', { ...mined, blockHash: 'h', blockHeight: 6 }),
        ],
        ...[output('back', { inMempool: true }), output('stays', mined)],
        output('old', { ...mined, blockHash: 'g', blockHeight: 4 }),
      ]),
    )
    expect(
      await read(
        'outputs',
        'txid',
        "IFNULL(block_hash || block_height, '') || in_mempool || dropped || IFNULL(gone_at, '')",
      ),
    ).toEqual({
      ...{ back: '10', mined: 'h500', moved: '00', old: 'g400', other: '00', seen: '10', stays: '013' },
    })
    await DB.batch(
      upsertOutputsStatements(DB, 'Bitcoin', [output('stays', { ...mined, blockHash: 'i', blockHeight: 6 })]),
    )
    expect(await read('outputs', 'txid', "block_hash || block_height || dropped || IFNULL(gone_at, '')")).toMatchObject(
      { stays: 'i60' },
    )
  })

  it('are read as they were recorded, and whether they were credited', async () => {
    const recorded = [output('a'), output('b', { coinbase: true, inMempool: false })]
    await DB.batch(upsertOutputsStatements(DB, 'Bitcoin', recorded))
    await DB.batch(
      markCreditedStatements(DB, 'Bitcoin', [{ txid: 'b', vout: 0, blockHeight: recorded[1]?.blockHeight }]),
    )
    const found = await selectOutputsByAddress(DB, 'Bitcoin', ['a'])
    expect(found.sort((a, b) => a.txid.localeCompare(b.txid))).toEqual(
      recorded.map((one) => ({ ...one, credited: one.txid === 'b', writtenOff: 0 })),
    )
  })

  it('note since when the mempool has them no more', async () => {
    await add('outputs', ...['a', 'b', 'c'].map((txid) => ({ txid, in_mempool: 1 })), {
      txid: 'mined',
      in_mempool: 1,
      block_height: 5,
    })
    await add(
      'outputs',
      { txid: 'dropped', in_mempool: 1, dropped: 1 },
      { txid: 'a', blockchain: 'Dogecoin', in_mempool: 1 },
    )
    const all = ['a', 'b', 'mined', 'dropped']
    const seen = () => read('outputs', 'blockchain || txid', "in_mempool || IFNULL(gone_at, '')")
    const rest = { Bitcoinc: '1', Bitcoindropped: '1', Bitcoinmined: '1', Dogecoina: '1' }
    expect((await updateInMempoolStatement(DB, 'Bitcoin', all, true, 6).run()).meta.changes).toBe(0)
    await updateInMempoolStatement(DB, 'Bitcoin', all, false, 7).run()
    expect(await seen()).toEqual({ ...rest, Bitcoina: '07', Bitcoinb: '07' })
    expect((await updateInMempoolStatement(DB, 'Bitcoin', all, false, 8).run()).meta.changes).toBe(0)
    await DB.prepare("UPDATE outputs SET gone_at = NULL WHERE txid = 'b' AND in_mempool = 0").run()
    await updateInMempoolStatement(DB, 'Bitcoin', all, false, 9).run()
    expect(await seen()).toEqual({ ...rest, Bitcoina: '07', Bitcoinb: '09' })
    await updateInMempoolStatement(DB, 'Bitcoin', ['a'], true, 10).run()
    expect(await seen()).toEqual({ ...rest, Bitcoina: '1', Bitcoinb: '09' })
    await DB.prepare("UPDATE outputs SET gone_at = 3 WHERE txid = 'a'").run()
    await updateInMempoolStatement(DB, 'Bitcoin', ['a'], true, 10).run()
    expect(await seen()).toMatchObject({ Bitcoina: '1', Dogecoina: '13' })
  })

  it('are given up that were never credited, when spent otherwise or gone for a fortnight', async () => {
    const now = 14 * 86_400_000 + 10
    const gone = { gone_at: 9, in_mempool: 1 }
    await add(
      'outputs',
      { ...gone, txid: 'gone' },
      { ...gone, txid: 'lately', gone_at: 10 },
      { ...gone, txid: 'conflicted', gone_at: 99 },
    )
    await add(
      'outputs',
      { ...gone, txid: 'mined', block_height: 5 },
      { ...gone, txid: 'credited', credited: 1 },
      { ...gone, txid: 'other' },
    )
    await add('outputs', { ...gone, txid: 'gone', blockchain: 'Dogecoin' }, { ...gone, txid: 'dropped', dropped: 1 })
    const txids = ['gone', 'lately', 'conflicted', 'mined', 'credited', 'dropped']
    expect((await dropOutputsStatement(DB, 'Bitcoin', txids, ['conflicted'], now).run()).meta.changes).toBe(2)
    expect(await list('outputs WHERE dropped = 1 AND NOT in_mempool', 'blockchain || txid')).toEqual([
      'Bitcoinconflicted',
      'Bitcoingone',
    ])
  })

  it('leave the chain with their block, and are credited by their names', async () => {
    const row = { block_hash: 'h', block_height: 6 }
    await add(
      'outputs',
      { ...row, txid: 'a' },
      { ...row, txid: 'b', block_height: 5 },
      { ...row, txid: 'a', blockchain: 'Dogecoin' },
    )
    await add('outputs', { ...row, txid: 'a', vout: 1 }, { ...row, txid: 'a', vout: 1, blockchain: 'Dogecoin' })
    await DB.batch(unmineOutputsAboveStatements(DB, 'Bitcoin', 5, 0))
    expect(await read('outputs', 'blockchain || txid || vout', "IFNULL(block_hash || block_height, '')")).toEqual({
      ...{ Bitcoina0: '', Bitcoina1: '', Bitcoinb0: 'h5', Dogecoina0: 'h6', Dogecoina1: 'h6' },
    })
    const credit = async () => {
      const outputs = [
        { txid: 'a', vout: 1, blockHeight: undefined },
        { txid: 'b', vout: 0, blockHeight: 5 },
      ]
      return (await DB.batch(markCreditedStatements(DB, 'Bitcoin', outputs))).at(-1)?.meta.changes
    }
    expect([await credit(), await credit()]).toEqual([2, 0])
    expect(await list('outputs WHERE credited', 'blockchain || txid || vout')).toEqual(['Bitcoina1', 'Bitcoinb0'])
    await add('outputs', { txid: 'not asked for' })
    const places = await selectBlockHashes(DB, 'Bitcoin', ['a', 'b', 'none'])
    expect(places.map(({ txid, blockHash }) => [txid, blockHash]).sort()).toEqual([
      ['a', undefined],
      ['b', 'h'],
    ])
  })

  it('are credited only in the block in which they were read', async () => {
    await add('outputs', { txid: 'left' }, { txid: 'moved', block_height: 7 }, { txid: 'stays', block_height: 5 })
    for (const txid of ['left', 'moved']) {
      const outputs = ['stays', txid].map((one) => ({ txid: one, vout: 0, blockHeight: 5 }))
      expect(await batchIf(DB, markCreditedStatements(DB, 'Bitcoin', outputs))).toBe(false)
    }
    expect(await list('outputs WHERE credited', 'txid')).toEqual([])
  })

  it('of an address are the two hundred largest', async () => {
    // From 901 on: by its text the least would be another.
    await addMany('outputs', 201, { address: "'a'", amount: 'n + 900' })
    await add(
      'outputs',
      { txid: 'b', address: 'b' },
      { txid: 'c', address: 'c' },
      { txid: 'a', address: 'a', blockchain: 'Dogecoin', amount: '999' },
    )
    const found = await selectOutputsByAddress(DB, 'Bitcoin', ['a', 'b'])
    const amounts = found.filter(({ address }) => address === 'a').map(({ amount }) => Number(amount))
    expect([amounts.length, Math.min(...amounts), Math.max(...amounts)]).toEqual([200, 902, 1_101])
    expect(found.filter(({ address }) => address !== 'a').map(({ txid }) => txid)).toEqual(['b'])
  })

  it('are asked for by twenty addresses at a time, and by two thousand transactions', async () => {
    const { env: counting, calls } = faultyEnv(undefined)
    const names = (length: number) => Array.from({ length }, (_, n) => `n${n}`)
    const cost = async (work: () => Promise<unknown>) => {
      const before = calls()
      await work()
      return calls() - before
    }
    expect(await cost(() => selectOutputsByAddress(counting.DB, 'Bitcoin', names(20)))).toBe(1)
    expect(await cost(() => selectOutputsByAddress(counting.DB, 'Bitcoin', names(21)))).toBe(2)
    expect(await cost(() => selectBlockHashes(counting.DB, 'Bitcoin', names(2_000)))).toBe(1)
    expect(await cost(() => selectBlockHashes(counting.DB, 'Bitcoin', names(2_001)))).toBe(2)
  })

  it('are to be credited that are deep enough, and that no request waits for', async () => {
    await add(
      'addresses',
      { address: 'a' },
      { address: 'b', user_id: 'bob' },
      ...STATES.map((address) => ({ address, kind: 'request' })),
    )
    await add(
      'addresses',
      { address: 'a', blockchain: 'Dogecoin', user_id: 'bob' },
      { address: 'dog', kind: 'request' },
      { address: 'dog', kind: 'request', blockchain: 'Dogecoin' },
    )
    await add('payment_requests', ...STATES.map((state) => ({ id: state, state, address: state })))
    await add('payment_requests', { id: 'dog', address: 'dog', blockchain: 'Dogecoin' })
    const deep = { address: 'a', block_height: 5 }
    await add(
      'outputs',
      { ...deep, txid: 'deep' },
      { ...deep, txid: 'young', block_height: 6 },
      { ...deep, txid: 'coinbase', coinbase: 1, block_height: 3 },
    )
    await add(
      'outputs',
      { ...deep, txid: 'unripe', coinbase: 1, block_height: 4 },
      { ...deep, txid: 'credited', credited: 1 },
      { ...deep, txid: 'dropped', dropped: 1 },
    )
    await add(
      'outputs',
      { ...deep, txid: 'unmined', block_height: null },
      { ...deep, txid: 'bobs', address: 'b' },
      { ...deep, txid: 'strangers', address: 'x' },
    )
    await add(
      'outputs',
      ...STATES.map((address) => ({ ...deep, txid: address, address })),
      { ...deep, txid: 'dog', blockchain: 'Dogecoin' },
      { ...deep, txid: 'dogs', address: 'dog' },
    )
    const credit = async (limit: number) =>
      (await selectCreditable(DB, 'Bitcoin', { height: 5, coinbaseHeight: 3, above: [], least: 0n, limit }))
        .map(({ txid, userId }) => txid + userId)
        .sort()
    expect(await credit(99)).toEqual([
      'bobsbob',
      'cancelledada',
      'coinbaseada',
      'deepada',
      'dogsada',
      'expiredada',
      'settledada',
    ])
    expect(await credit(2)).toHaveLength(2)
  })

  it('are looked for that are in no block, from somewhere on and around', async () => {
    await add(
      'outputs',
      ...['a', 'b', 'c', 'd'].map((txid) => ({ txid })),
      { txid: 'b', vout: 1 },
      { txid: 'e', block_height: 5 },
    )
    await add('outputs', { txid: 'f', dropped: 1 }, { txid: 'g', blockchain: 'Dogecoin' })
    expect(await selectUnminedTxids(DB, 'Bitcoin', 'c', 9)).toEqual(['c', 'd', 'a', 'b'])
    expect(await selectUnminedTxids(DB, 'Bitcoin', 'c', 3)).toEqual(['c', 'd', 'a'])
    expect(await selectUnminedTxids(DB, 'Bitcoin', 'c', 2)).toEqual(['c', 'd'])
  })

  it('keep a request from being cancelled while money is at its address', async () => {
    await add(
      'outputs',
      { txid: 'a', address: 'seen', in_mempool: 1 },
      { txid: 'b', address: 'mined', block_height: 5 },
      { txid: 'c', address: 'gone' },
    )
    await add('outputs', { txid: 'd', address: 'dog', blockchain: 'Dogecoin', in_mempool: 1 })
    const free: string[] = []
    for (const address of ['seen', 'mined', 'gone', 'dog', 'none']) {
      if (await batchIf(DB, [assertNoMoneyStatement(DB, 'Bitcoin', address)])) free.push(address)
    }
    expect(free).toEqual(['gone', 'dog', 'none'])
  })
})
