import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  assertTipStatement,
  deleteBlocksAboveStatement,
  deleteBlocksBelowStatement,
  forgetScanStatement,
  insertBlocksStatement,
  restartScanStatement,
  rewindScannedStatement,
  selectBlocks,
  selectHeights,
  selectScanned,
  selectTip,
  upsertScannedStatement,
} from '../../../../worker/chain/follower/blocks.ts'
import {
  selectChainState,
  upsertGenesis,
  upsertProblem,
  upsertStep,
} from '../../../../worker/chain/follower/chain-states.ts'
import {
  deleteFailedRecordStatement,
  deleteUntriedStatement,
  retryFailedRecordStatement,
  selectFailedIds,
  selectFailedRecordCount,
  selectFailedRecords,
  upsertFailedRecordStatement,
} from '../../../../worker/chain/follower/failed-records.ts'
import { selectHasOpen } from '../../../../worker/features/health/has-open.ts'
import { selectHighestOfOurs } from '../../../../worker/features/operate/sql/blocks-of-ours.ts'
import { batchIf } from '../../../../worker/platform/d1/guarded-batch.ts'
import { add, addMany, clear, count, list, read } from '../../rows.ts'

const { DB } = env

beforeEach(() =>
  clear('blocks', 'wallet_scans', 'chain_states', 'failed_records', 'writes', 'payment_requests', 'withdrawals'),
)

describe('the blocks of a chain', () => {
  beforeEach(async () => {
    await add('blocks', ...[1, 2, 3].map((height) => ({ height, hash: `b${height}` })))
    await add('blocks', ...[2, 9].map((height) => ({ blockchain: 'Dogecoin', height, hash: `d${height}` })))
  })

  it('are those of its own, highest first', async () => {
    expect(await selectTip(DB, 'Bitcoin')).toEqual({ height: 3, hash: 'b3' })
    expect(await selectTip(DB, 'Nativecoin')).toBeUndefined()
    expect((await selectBlocks(DB, 'Bitcoin', 2)).map(({ hash }) => hash)).toEqual(['b3', 'b2'])
    expect((await selectBlocks(DB, 'Dogecoin', 9)).map(({ hash }) => hash)).toEqual(['d9', 'd2'])
    expect(await selectHeights(DB, 'Bitcoin', ['b1', 'b3', 'd2'])).toEqual(
      new Map([
        ['b1', 1],
        ['b3', 3],
      ]),
    )
  })

  it.each([
    ['the tip', { height: 3, hash: 'b3' }, true],
    ['a block below it', { height: 2, hash: 'b2' }, false],
    ['another block there', { height: 3, hash: 'x' }, false],
    ['a hash of another height', { height: 4, hash: 'b3' }, false],
    ['the tip of another chain', { height: 9, hash: 'd9' }, false],
    ['none', undefined, false],
  ])('end at %s: %o, %s', async (_, tip, is) => {
    expect(await batchIf(DB, [assertTipStatement(DB, 'Bitcoin', tip)])).toBe(is)
  })

  it('that are none have no tip', async () => {
    expect(await batchIf(DB, [assertTipStatement(DB, 'Nativecoin', undefined)])).toBe(true)
    expect(await batchIf(DB, [assertTipStatement(DB, 'Nativecoin', { height: 3, hash: 'b3' })])).toBe(false)
  })

  it('are kept until the wallet was searched for them', async () => {
    // Of another chain, whose heights say nothing about this one.
    await upsertScannedStatement(DB, 'Dogecoin', { height: 1, hash: 'd1' }).run()
    await upsertScannedStatement(DB, 'Bitcoin', { height: 2, hash: 'b2' }).run()
    await deleteBlocksBelowStatement(DB, 'Bitcoin', 3).run()
    expect(await list('blocks', 'hash')).toEqual(['b2', 'b3', 'd2', 'd9'])
    await upsertScannedStatement(DB, 'Bitcoin', { height: 9, hash: 'b9' }).run()
    await deleteBlocksBelowStatement(DB, 'Bitcoin', 3).run()
    expect(await list('blocks', 'hash')).toEqual(['b3', 'd2', 'd9'])
  })

  it('are added, rolled back and forgotten', async () => {
    await insertBlocksStatement(DB, 'Bitcoin', [
      { height: 4, hash: 'b4' },
      { height: 5, hash: 'b5' },
    ]).run()
    await deleteBlocksAboveStatement(DB, 'Bitcoin', 4).run()
    expect(await list('blocks', 'hash')).toEqual(['b1', 'b2', 'b3', 'b4', 'd2', 'd9'])
    await deleteBlocksBelowStatement(DB, 'Bitcoin', 3).run()
    expect(await list('blocks', 'hash')).toEqual(['b3', 'b4', 'd2', 'd9'])
  })
})

it('the highest block that something is known to be in is of one chain, and within both heights', async () => {
  await clear('outputs', 'transactions', 'tx_chains')
  await add('outputs', { txid: 'a', block_height: 4, block_hash: 'b4' }, { txid: 'b' })
  await add('outputs', { txid: 'c', block_height: 6, block_hash: 'd6', blockchain: 'Dogecoin' })
  await add('tx_chains', { id: 1 })
  await add('transactions', { txid: 'e', block_height: 7, block_hash: 'b7' })
  const highest = async (below: number, height: number) =>
    (await selectHighestOfOurs(DB, 'Bitcoin', below, height))?.hash
  expect([await highest(3, 9), await highest(3, 7), await highest(3, 6)]).toEqual(['b7', 'b7', 'b4'])
  expect([await highest(3, 4), await highest(4, 6), await highest(0, 3)]).toEqual(['b4', undefined, undefined])
  await clear('outputs', 'transactions', 'tx_chains')
})

describe('the search of a wallet', () => {
  it('keeps what it is not told anew', async () => {
    expect(await selectScanned(DB, 'Bitcoin')).toBeUndefined()
    const wallet = {
      txCount: 7,
      restoredUntil: 9,
      walletKeys: 'k',
      waiting: 2,
      sendsKnown: true,
      searchedAt: 4,
      searchDue: true,
    }
    await upsertScannedStatement(DB, 'Bitcoin', { height: 5, hash: 'a' }, wallet).run()
    await upsertScannedStatement(DB, 'Bitcoin', { height: 6, hash: 'b' }).run()
    await upsertScannedStatement(DB, 'Dogecoin', { height: 8, hash: 'd' }).run()
    expect(await selectScanned(DB, 'Bitcoin')).toEqual({ height: 6, hash: 'b', ...wallet })
    expect(await selectScanned(DB, 'Dogecoin')).toEqual({
      ...{ height: 8, hash: 'd', txCount: undefined, restoredUntil: 0, walletKeys: undefined, waiting: undefined },
      ...{ searchedAt: 0, searchDue: false, sendsKnown: false },
    })
  })

  it('is taken back where it had gone further, each chain by itself', async () => {
    for (const [chain, height] of [
      ['Bitcoin', 6],
      ['Dogecoin', 8],
      ['Nativecoin', 5],
    ] as const) {
      await upsertScannedStatement(DB, chain, { height, hash: chain }, { txCount: 7 }).run()
    }
    for (const chain of ['Bitcoin', 'Nativecoin'] as const)
      await rewindScannedStatement(DB, chain, { height: 5, hash: 'x' }).run()
    expect(await read('wallet_scans', 'blockchain', 'hash || height')).toEqual({
      Bitcoin: 'x5',
      Dogecoin: 'Dogecoin8',
      Nativecoin: 'Nativecoin5',
    })
    await forgetScanStatement(DB, 'Bitcoin').run()
    expect(await read('wallet_scans', 'blockchain', 'tx_count')).toEqual({ Bitcoin: 0, Dogecoin: 7, Nativecoin: 7 })
  })

  it('begins at a block as if the wallet had nothing before', async () => {
    const wallet = { txCount: 7, waiting: 2 }
    for (const chain of ['Bitcoin', 'Dogecoin'] as const)
      await upsertScannedStatement(DB, chain, { height: 6, hash: chain }, wallet).run()
    await restartScanStatement(DB, 'Bitcoin', { height: 9, hash: 'x' }).run()
    expect(await selectScanned(DB, 'Bitcoin')).toMatchObject({ height: 9, hash: 'x', txCount: 0, waiting: undefined })
    expect(await selectScanned(DB, 'Dogecoin')).toMatchObject({ height: 6, hash: 'Dogecoin', ...wallet })
  })
})

describe('the state of a chain', () => {
  it('keeps the first genesis of each', async () => {
    expect(await upsertGenesis(DB, 'Bitcoin', 'a')).toBe('a')
    expect(await upsertGenesis(DB, 'Bitcoin', 'b')).toBe('a')
    expect(await upsertGenesis(DB, 'Dogecoin', 'd')).toBe('d')
    expect((await selectChainState(DB, 'Dogecoin')).genesis).toBe('d')
    expect((await selectChainState(DB, 'Nativecoin')).genesis).toBeUndefined()
  })

  it('notes a step that ended well each ten seconds, and a new block at once', async () => {
    const noted = async () => {
      const { steppedAt, tipAt, tipHash } = await selectChainState(DB, 'Bitcoin')
      return [steppedAt, tipAt, tipHash]
    }
    await upsertStep(DB, 'Bitcoin', 'a', 5)
    await upsertStep(DB, 'Dogecoin', 'd', 5)
    await upsertStep(DB, 'Bitcoin', 'a', 10_004)
    await upsertStep(DB, 'Bitcoin', undefined, 10_004)
    expect(await noted()).toEqual([5, 5, 'a'])
    await upsertStep(DB, 'Bitcoin', 'a', 10_005)
    expect(await noted()).toEqual([10_005, 5, 'a'])
    await upsertStep(DB, 'Bitcoin', 'b', 10_006)
    expect(await noted()).toEqual([10_006, 10_006, 'b'])
    await upsertStep(DB, 'Bitcoin', undefined, 30_000)
    expect(await noted()).toEqual([30_000, 10_006, 'b'])
    expect((await selectChainState(DB, 'Dogecoin')).steppedAt).toBe(5)
  })

  it('says since when steps fail, and that they do no more', async () => {
    const problem = async () => {
      const state = await selectChainState(DB, 'Bitcoin')
      return [state.problem, state.problemSince]
    }
    await upsertStep(DB, 'Bitcoin', 'a', 5)
    await upsertProblem(DB, 'Bitcoin', 'x'.repeat(301), 6)
    expect(await problem()).toEqual(['x'.repeat(300), 6])
    await upsertProblem(DB, 'Bitcoin', 'y', 7)
    expect(await problem()).toEqual(['y', 6])
    await upsertStep(DB, 'Bitcoin', 'a', 8)
    expect(await problem()).toEqual([undefined, undefined])
  })

  it.each([
    ['open', 'payment_requests', true],
    ['seen', 'payment_requests', true],
    ['settled', 'payment_requests', false],
    ['expired', 'payment_requests', false],
    ['queued', 'writes', true],
    ['writing', 'writes', true],
    ['paused', 'writes', true],
    ['parked', 'writes', false],
    ['published', 'writes', false],
    ['waiting', 'withdrawals', true],
    ['sent', 'withdrawals', false],
    ['failed', 'withdrawals', false],
  ])('knows whether something is open: %s of %s, %s', async (state, table, open) => {
    await add('payment_requests', { id: 'request', state: 'settled' })
    if (table === 'writes') await add('writes', { item_id: 'i', state })
    else if (table === 'withdrawals') await add('withdrawals', { id: 'w', state })
    else await add('payment_requests', { id: 'r', state })
    expect(await selectHasOpen(DB, 'Bitcoin')).toBe(open)
    expect(await selectHasOpen(DB, 'Dogecoin')).toBe(false)
  })
})

describe('failed records', () => {
  it('is of one chain and kind, the longest waiting first, and counts its tries', async () => {
    const aside = (id: string, retryAt: number, reason = 'why') =>
      upsertFailedRecordStatement(DB, 'Bitcoin', { kind: 'item', id, reason, retryAt }, retryAt).run()
    await aside('a', 2)
    await aside('b', 1, 'x'.repeat(301))
    await aside('a', 5, 'again')
    await add('failed_records', { id: 'a', kind: 'tx_chain', since: 3 }, { id: 'a', blockchain: 'Dogecoin' })
    const item = await selectFailedRecords(DB, 'Bitcoin', 'item')
    expect(item.map(({ id, tries, since, retryAt }) => [id, tries, since, retryAt])).toEqual([
      ['b', 1, 1, 1],
      ['a', 2, 2, 5],
    ])
    expect(item.map(({ reason }) => reason.length)).toEqual([300, 5])
    expect((await selectFailedRecords(DB, 'Bitcoin')).map(({ kind, id }) => kind + id)).toEqual([
      'itemb',
      'itema',
      'tx_chaina',
    ])
    expect([await selectFailedRecordCount(DB, 'Bitcoin'), await selectFailedRecordCount(DB, 'Dogecoin')]).toEqual([
      3, 1,
    ])
    expect(await selectFailedRecordCount(DB, 'Nativecoin')).toBe(0)
    await deleteFailedRecordStatement(DB, 'Bitcoin', 'item', ['a']).run()
    expect(await list('failed_records', 'blockchain || kind || id')).toEqual([
      'Bitcoinitemb',
      'Bitcointx_chaina',
      'Dogecoinitema',
    ])
  })

  it('is forgotten that nothing has tried again for a while, of one kind and chain', async () => {
    await add(
      'failed_records',
      { id: 'old', kind: 'tx_chain', retry_at: 9 },
      { id: 'young', kind: 'tx_chain', retry_at: 10 },
      { id: 'other', kind: 'item', retry_at: 9 },
      { id: 'old', kind: 'tx_chain', retry_at: 9, blockchain: 'Dogecoin' },
    )
    await deleteUntriedStatement(DB, 'Bitcoin', 'tx_chain', 10).run()
    expect(await list('failed_records', 'blockchain || kind || id')).toEqual([
      'Bitcoinitemother',
      'Bitcointx_chainyoung',
      'Dogecointx_chainold',
    ])
  })

  it('is found by its name under its kind and chain, among those that are asked for', async () => {
    await add('failed_records', { id: 'a', kind: 'owner' }, { id: 'b', kind: 'owner' }, { id: 'c', kind: 'tx_chain' })
    await add('failed_records', { id: 'd', kind: 'owner', blockchain: 'Dogecoin' })
    expect(await selectFailedIds(DB, 'Bitcoin', 'owner', ['a', 'c', 'd', 'e'])).toEqual(new Set(['a']))
    expect(await selectFailedIds(DB, 'Bitcoin', 'owner', [])).toEqual(new Set())
  })

  it('is tried again at once by its name, or with all of its kind and chain', async () => {
    const later = { kind: 'tx_chain', retry_at: 9 }
    await add('failed_records', { ...later, id: 'a' }, { ...later, id: 'b' }, { ...later, id: 'a', kind: 'item' })
    await add('failed_records', { ...later, id: 'a', blockchain: 'Dogecoin' })
    const waiting = async () => await read('failed_records', 'blockchain || kind || id', 'retry_at')
    await retryFailedRecordStatement(DB, { blockchain: 'Bitcoin', kind: 'tx_chain', id: 'b' }).run()
    expect(await waiting()).toEqual({ Bitcoinitema: 9, Bitcointx_chaina: 9, Bitcointx_chainb: 0, Dogecointx_chaina: 9 })
    await retryFailedRecordStatement(DB, { blockchain: 'Bitcoin', kind: 'tx_chain' }).run()
    expect(await waiting()).toEqual({ Bitcoinitema: 9, Bitcointx_chaina: 0, Bitcointx_chainb: 0, Dogecointx_chaina: 9 })
  })

  it('is read a thousand at a time', async () => {
    await addMany('failed_records', 1_001, { id: 'n' })
    expect(await selectFailedRecords(DB, 'Bitcoin')).toHaveLength(1_000)
    expect(await count('failed_records')).toBe(1_001)
  })
})
