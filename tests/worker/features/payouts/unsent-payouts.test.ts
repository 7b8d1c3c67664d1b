import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { StepContext } from '../../../../worker/chain/follower/agent-context.ts'
import { listPaid, putPayoutRecord } from '../../../../worker/features/payouts/record/payout-records.ts'
import { recordPayouts, resumeRecords } from '../../../../worker/features/payouts/restore/record-payouts.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { memoryNumbers } from '../../../kit/in-process/memory-numbers.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear, count, list, type Row, read } from '../../rows.ts'
import { noLabels } from './no-labels.ts'
import { refuseRecords } from './refuse-records.ts'

const { DB, BUCKET } = env
const NOW = 1_800_000_000_000
const TABLES = [
  'failed_records',
  'stops',
  'payout_numbers',
  'transaction_inputs',
  'transactions',
  'withdrawals',
  'tx_chains',
]
/** The number of the agent, which no test shares with another. */
let number = 0

beforeEach(async () => {
  await clear(...TABLES)
  number = 0
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
})

const coinOf = (id: string) => ({ coin_txid: `coin of ${id}`, coin_vout: 0, coin_value: '9', coin_script: '' })

/** A withdrawal with what was signed for it, on a tx chain of its own. */
async function addPayout(id: string, txChain: number, withdrawal: Row = {}, transaction: Row = {}): Promise<void> {
  const coin = coinOf(id)
  await add('tx_chains', { id: txChain, ...coin })
  await add('withdrawals', { id, ...coin, ...withdrawal })
  await add('transactions', { txid: `of ${id}`, tx_chain: txChain, withdrawal_id: id, state: 'signed', ...transaction })
}

/** What an agent stores that has the mark of this database. */
const agentNumbers = () => memoryNumbers(new Map([['mark', { mark: 'of the agent', isNoted: false }]]))

/** The tx chains that nothing is sent of, of all that is not mined. */
async function record(given: Partial<StepContext> = {}): Promise<number[]> {
  const numbers = {
    ...agentNumbers(),
    read: async () => number,
    write: async (next: number) => {
      number = next
    },
  }
  const unmined = await selectUnmined(DB, 'Bitcoin')
  return [
    ...(await recordPayouts({ ...contextOf('Bitcoin', NOW), rpc: noLabels.rpcOf(), numbers, ...given }, unmined)),
  ].sort()
}

/** The withdrawals that have a record of a payout. */
async function recorded(): Promise<string[]> {
  const ids: string[] = []
  for await (const page of listPaid(BUCKET, 'Bitcoin')) ids.push(...page)
  return ids
}

describe('a payout that was signed', () => {
  it.each<[string, Row]>([
    ['an operator ends', { ending: 'refunded' }],
    ['is over', { state: 'refunded' }],
  ])('is not sent where its withdrawal %s; one beside it is, with the next number', async (_, withdrawal) => {
    await addPayout('over-1', 1, withdrawal)
    await addPayout('other-1', 2)
    await add('tx_chains', { id: 3, coin_txid: 'of an item' })
    await add('transactions', { txid: 'item', tx_chain: 3, item_id: 'item', item_index: 0, state: 'signed' })
    expect(await record()).toEqual([1])
    expect(await recorded()).not.toContain('over-1')
    expect([number, await list('payout_numbers', 'number')]).toEqual([1, [1]])
  })

  it.each<[string, Row]>([
    ['a node may have', { attempts: 1 }],
    ['a node has', { state: 'sent' }],
  ])('has no other record and number where %s it already', async (_, transaction) => {
    await addPayout('sent-1', 1, {}, transaction)
    expect(await record()).toEqual([])
    expect(await recorded()).not.toContain('sent-1')
    expect([number, await count('payout_numbers')]).toEqual([0, 0])
  })

  it('raises no number where nothing of it may be sent', async () => {
    await addPayout('over-2', 1, { ending: 'refunded' })
    const write = vi.fn()
    expect(await record({ numbers: { ...agentNumbers(), write } })).toEqual([1])
    expect([write.mock.calls, await count('payout_numbers')]).toEqual([[], 0])
  })

  it('is not sent where another step has raised the number meanwhile', async () => {
    await addPayout('late', 1)
    const put = BUCKET.put.bind(BUCKET)
    const beaten = vi.spyOn(BUCKET, 'put').mockImplementation(async (...given: Parameters<typeof put>) => {
      await DB.prepare("INSERT OR REPLACE INTO payout_numbers (blockchain, number) VALUES ('Bitcoin', 1)").run()
      return await put(...given)
    })
    expect(await record()).toEqual([1])
    beaten.mockRestore()
    expect([number, await list('payout_numbers', 'number')]).toEqual([0, [1]])
  })

  it('is given up where an earlier one has another coin: the withdrawal is tied to that', async () => {
    await addPayout('twice', 1)
    await addPayout('once', 2)
    const record0 = { account: 'ada', amount: 1n, fee: 1n, feeRate: 1n, address: '', script: '' }
    const txChain = { script: '', vsize: 1, fee: 1n, changeVout: 0, changeValue: 1n }
    for (const [id, txid] of [
      ['twice', 'another coin'],
      ['once', coinOf('once').coin_txid],
    ] as const) {
      const coin = { txid, vout: 0, value: 7n, script: '51' }
      const paid = { ...record0, id, coin, txChain }
      await putPayoutRecord(BUCKET, 'Bitcoin', `before ${id}`, paid)
    }
    expect(await record()).toEqual([1])
    expect(await read('transactions', 'txid', 'state')).toEqual({ 'of once': 'signed', 'of twice': 'dead' })
    expect(await read('withdrawals', 'id', 'coin_txid')).toEqual({ once: 'coin of once', twice: 'another coin' })
    expect(await read('tx_chains', 'id', 'state')).toEqual({ 1: 'closed', 2: 'open' })
  })

  it('without a coin is told to its owner and to operators once', async () => {
    await addPayout('untied', 1, { coin_txid: null })
    expect(await record()).toEqual([1])
    expect(await list('withdrawals', 'reason')).toEqual([expect.stringContaining('No coin is tied to it')])
    await DB.prepare('UPDATE failed_records SET retry_at = 7').run()
    expect(await record()).toEqual([1])
    expect(await read('failed_records', 'id', "tries || ':' || retry_at")).toEqual({ untied: '1:7' })
  })
})

describe('payouts that were stopped because the bucket took no record', () => {
  const resume = () => resumeRecords(contextOf('Bitcoin', NOW))
  const stop = { blockchain: 'Bitcoin', reason: '', since: 0 }
  const probe = () => BUCKET.head('payouts/Bitcoin/probe')

  it('go on when it takes one, and at once; other stops remain', async () => {
    await add('stops', ...['records', 'hand'].map((cause) => ({ ...stop, part: 'payouts', cause })))
    await add('failed_records', ...['withdrawal', 'refused'].map((kind) => ({ kind, id: kind, retry_at: 9 })))
    const takeRecords = refuseRecords()
    await resume()
    expect(await list('stops', 'cause')).toEqual(['hand', 'records'])
    takeRecords()
    await resume()
    expect(await list('stops', 'cause')).toEqual(['hand'])
    expect(await read('failed_records', 'id', 'retry_at')).toEqual({ refused: 9, withdrawal: 0 })
  })

  it('are looked at in no step where they were not', async () => {
    await add('stops', { ...stop, part: 'payouts', cause: 'hand' })
    await add('failed_records', { kind: 'withdrawal', id: 'w', retry_at: 9 })
    await BUCKET.delete('payouts/Bitcoin/probe')
    await resume()
    expect([await probe(), await list('failed_records', 'retry_at')]).toEqual([null, [9]])
  })
})
