import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { selectFailedRecords, upsertFailedRecordStatement } from '../../../../worker/chain/follower/failed-records.ts'
import { signAndStore } from '../../../../worker/features/transactions/sign/sign-and-store.ts'
import type { Plan } from '../../../../worker/features/transactions/sign/tx-chain-plan.ts'
import { selectOpenTxChains } from '../../../../worker/features/transactions/sql/tx-chains.ts'
import { notedStep } from '../../noted-step.ts'
import { add, clear, list, read } from '../../rows.ts'
import { agent, anyCoin, planOne, script, signAny } from './signing-agent.ts'

const TX_CHAIN = 7

/** A wallet that signs nothing that spends `txid`. */
const refusing =
  (txid: string): typeof signAny =>
  async (calls) => {
    const reversed = Buffer.from(txid, 'hex').reverse().toString('hex')
    const signed = await signAny(calls)
    return calls.map(({ params: [hex] }, index) =>
      String(hex).includes(reversed) ? { error: { code: -5, message: 'no key' } } : (signed[index] ?? { result: null }),
    )
  }

/** A transaction that goes on in an open tx chain, from this coin. */
function goOn(tip = anyCoin()): Plan['transactions'][number] {
  const money = { change: 9_000n, fee: 1_000n, vsize: 150 }
  return { txChain: TX_CHAIN, seq: 3, spends: [tip], payload: undefined, splits: [], script, ...money }
}

async function store(plan: Plan, rpc = signAny): Promise<boolean> {
  const { context, twice } = notedStep(agent(env, rpc))
  const stored = await signAndStore(
    context,
    plan,
    () => undefined,
    () => [],
  )
  expect(twice).toEqual([])
  return stored
}

const aside = async () =>
  (await selectFailedRecords(env.DB, 'Bitcoin', 'tx_chain')).map(({ id, tries }) => ({ id, tries }))
const openTxChains = async () => (await selectOpenTxChains(env.DB, 'Bitcoin')).map(({ id }) => id)

beforeEach(() => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  return () => log.mockRestore()
})
afterEach(() => clear('transaction_inputs', 'transactions', 'tx_chains', 'failed_records'))

it('keeps the bytes of all in one object, and tx chains that start from the coins that are split off', async () => {
  const plan = planOne()
  const [first] = plan.transactions
  if (!first) throw new Error('nothing planned')
  const splits = [11, 12].map((txChain) => ({ txChain, value: 1_000n }))
  const next = { ...goOn(), txChain: first.txChain, seq: 1, spends: [] }
  expect(await store({ ...plan, transactions: [{ ...first, splits, change: 7_000n }, next] })).toBe(true)
  const { results } = await env.DB.prepare('SELECT txid, seq, offset, length FROM transactions ORDER BY seq').all<{
    txid: string
    seq: number
    offset: number
    length: number
  }>()
  expect(results.map(({ seq, offset }) => [seq, offset])).toEqual([
    [0, 0],
    [1, results[0]?.length],
  ])
  expect((await selectOpenTxChains(env.DB, 'Bitcoin')).filter(({ id }) => id > 10 && id < 13)).toEqual([
    { id: 11, coin: { txid: results[0]?.txid, vout: 1, value: 1_000n, script }, script },
    { id: 12, coin: { txid: results[0]?.txid, vout: 2, value: 1_000n, script }, script },
  ])
})

it('forgets that a coin failed once the wallet signs for it, and of no other', async () => {
  const plan = planOne()
  const named = `${plan.opened[0]?.coin.txid}:0`
  for (const id of [named, 'other:0']) {
    const record = { kind: 'tx_chain', id, reason: 'no key', retryAt: 0 } as const
    await upsertFailedRecordStatement(env.DB, 'Bitcoin', record, 0).run()
  }
  expect(await store(plan)).toBe(true)
  expect(await aside()).toEqual([{ id: 'other:0', tries: 1 }])
})

it('sets aside a coin that the wallet cannot sign for, and opens no tx chain with it', async () => {
  const plan = planOne()
  const txid = plan.opened[0]?.coin.txid ?? ''
  expect(await store(plan, refusing(txid))).toBe(false)
  expect([await aside(), await openTxChains()]).toEqual([[{ id: `${txid}:0`, tries: 1 }], []])
  expect(await store(plan, refusing(txid))).toBe(false)
  expect(await aside()).toEqual([{ id: `${txid}:0`, tries: 2 }])
})

it('ends a tx chain that the wallet cannot sign for, alone or beside one that it signs', async () => {
  for (const other of [undefined, planOne()]) {
    await clear('tx_chains', 'failed_records')
    await add('tx_chains', { id: TX_CHAIN })
    const last = goOn()
    const plan = { transactions: [last, ...(other?.transactions ?? [])], opened: other?.opened ?? [], closed: [] }
    expect(await store(plan, refusing(last.spends[0]?.txid ?? ''))).toBe(true)
    expect(await openTxChains()).toEqual(plan.opened.map(({ id }) => id))
    expect(await aside()).toEqual([{ id: String(TX_CHAIN), tries: 1 }])
  }
})

it('replaces transactions, unless one of them is in a block, or sent, since it was read', async () => {
  await add('tx_chains', { id: TX_CHAIN })
  const old = { tx_chain: TX_CHAIN, bundle: 'old' }
  await add('transactions', { ...old, txid: 'sent', seq: 1 }, { ...old, txid: 'signed', seq: 2, state: 'signed' })
  const plan = (state: 'signed' | 'sent') => ({
    ...{ transactions: [goOn()], opened: [], closed: [] },
    replaced: [
      { txid: 'sent', state: 'sent' as const },
      { txid: 'signed', state },
    ],
  })
  await env.DB.prepare("UPDATE transactions SET state = 'sent' WHERE txid = 'signed'").run()
  expect(await store(plan('signed'))).toBe(false)
  expect(await list('transactions', 'state')).toEqual(['sent', 'sent'])
  expect(await store(plan('sent'))).toBe(true)
  expect(await read('transactions', 'seq', 'state')).toEqual({ 1: 'dead', 2: 'dead', 3: 'signed' })
})

it('closes the tx chains that a plan has no money in, and no others', async () => {
  await add('tx_chains', { id: 5, coin_txid: 'poor' }, { id: TX_CHAIN, coin_txid: 'other' })
  expect(await store({ transactions: [goOn()], opened: [], closed: [5] })).toBe(true)
  expect(await openTxChains()).toEqual([TX_CHAIN])
})
