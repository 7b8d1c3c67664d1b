import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { FEE_TOO_HIGH, notifyWaiting, preparePayout } from '../../../../worker/features/payouts/pay/prepare-payout.ts'
import { putPayoutRecord } from '../../../../worker/features/payouts/record/payout-records.ts'
import { selectWithdrawalsById } from '../../../../worker/features/payouts/sql/withdrawals.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear, list, type Row, read } from '../../rows.ts'

const { DB, BUCKET } = env
const NOW = 1_800_000_000_000
const COIN = 'c'.repeat(64)

beforeEach(async () => {
  await clear('events', 'ledger', 'outputs', 'addresses', 'transactions', 'tx_chains', 'withdrawals')
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})

const DEAD = encodeTransaction({
  ...{ version: 2, lockTime: 0, outputs: [{ value: 7n, script: Uint8Array.of(0x51) }] },
  inputs: [{ txid: COIN, vout: 0, script: new Uint8Array(0), sequence: 0, witness: [] }],
})

/** Whether a withdrawal of 700 may be paid where an account may take out 1,000 an hour, of which it has taken 500. */
async function prepare(withdrawal: Row = {}, { unspent = true, known = false } = {}) {
  const { id = 'w' } = withdrawal
  await add('withdrawals', { amount: '700', ...withdrawal, id })
  await add('withdrawals', { id: 'paid', amount: '500', state: 'confirmed', released_at: NOW - 1 })
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ method }) => {
      if (method === 'gettxout') return { result: unspent ? {} : null }
      return known ? { result: { hex: toHex(DEAD), confirmations: '0' } } : { error: { code: -5, message: '' } }
    })
  const context = contextOf('Bitcoin', NOW)
  const payoutLimits = { accountHour: 1_000n, accountDay: undefined, hour: undefined, day: undefined }
  const chains = { ...context.config.chains, Bitcoin: { ...context.config.chains.Bitcoin, payoutLimits } }
  const [read_] = await selectWithdrawalsById(DB, [String(id)])
  if (!read_) throw new Error('it is not there')
  return await preparePayout({ ...context, rpc, config: { ...context.config, chains } }, { height: 9, hash: '' }, read_)
}
const states = () => read('withdrawals', 'id', "state || IFNULL(' ' || reason, '')")
const TIED = { coin_txid: COIN, coin_vout: 0, coin_value: '9', coin_script: '' }

describe('a withdrawal', () => {
  it('above a limit is held, and its owner is told', async () => {
    expect(await prepare()).toBeUndefined()
    expect(await states()).toMatchObject({ w: expect.stringContaining('held It is above what one account may take') })
    expect(await list('events', "type || ' ' || subject")).toEqual(['withdrawal.held w'])
  })

  it.each<[string, Row]>([
    ['an operator has approved', { approved: 1 }],
    ['was begun before: nothing more leaves the wallet', TIED],
    ['the service makes, as a sweep', { user_id: 'service', amount: '1700' }],
    ['is within it', { amount: '500' }],
  ])('is not held that %s', async (_, withdrawal) => {
    expect(await prepare(withdrawal)).toMatchObject({
      coin: withdrawal.coin_txid === undefined ? undefined : { txid: COIN },
    })
    expect([await states(), await list('events', 'type')]).toMatchObject([{ w: 'waiting' }, []])
  })

  it('is paid with the coin of its last payout, which a restored database has lost', async () => {
    const paid = { id: 'lost', account: 'ada', amount: 7n, fee: 1n, feeRate: 1n, address: '', script: '' }
    const coin = { txid: COIN, vout: 0, value: 9n, script: '51' }
    const txChain = { script: '', vsize: 1, fee: 1n, changeVout: 0, changeValue: 1n }
    await putPayoutRecord(BUCKET, 'Bitcoin', 'lost-payout', { ...paid, coin, txChain })
    expect(await prepare({ id: 'lost' })).toEqual({ coin, sums: undefined })
  })

  it('whose coin is spent otherwise is not paid with another', async () => {
    await expect(prepare(TIED, { unspent: false })).rejects.toThrow('is spent: by somebody else')
  })

  it('is sent by its transaction that was given up where that has spent its coin, and is not paid again', async () => {
    const txid = transactionId(DEAD)
    await add('tx_chains', { id: 1 })
    await add('transactions', { txid, withdrawal_id: 'w', state: 'dead', dead: 1 })
    expect(await prepare(TIED, { unspent: false, known: true })).toBeUndefined()
    expect(await read('transactions', 'txid', 'state')).toEqual({ [txid]: 'sent' })
  })

  it('waits where a deposit that the balance needs is off the chain, and says so', async () => {
    await add('ledger', { seq: 1, amount: '9', balance: '9', cause: 'output:o:0' })
    await add('addresses', { address: 'a' })
    await add('outputs', { txid: 'o', address: 'a', amount: '10', credited: 1 })
    expect(await prepare({ approved: 1 })).toBeUndefined()
    expect(await states()).toMatchObject({ w: expect.stringContaining('is not in the chain for now') })
    await clear('withdrawals')
    await DB.prepare("UPDATE ledger SET balance = '10'").run()
    expect(await prepare({ approved: 1 })).toEqual({ coin: undefined, sums: undefined })
  })
})

describe('what withdrawals wait for', () => {
  it('is told those that were not told it', async () => {
    await add('withdrawals', { id: 'told', reason: 'coins', since: 1 }, { id: 'untold' })
    const withdrawals = await selectWithdrawalsById(DB, ['told', 'untold'])
    await notifyWaiting(contextOf('Bitcoin', NOW), withdrawals, 'coins')
    expect(await read('withdrawals', 'id', 'since')).toEqual({ told: 1, untold: NOW })
  })

  it('is logged once for all where the fees are too high', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await add('withdrawals', { id: 'a' }, { id: 'b' })
    const [a, b] = await selectWithdrawalsById(DB, ['a', 'b'])
    if (!a || !b) throw new Error('they are not there')
    await notifyWaiting(contextOf('Bitcoin', NOW), [a, b], FEE_TOO_HIGH)
    await notifyWaiting(contextOf('Bitcoin', NOW), a, FEE_TOO_HIGH)
    expect(warn.mock.calls).toEqual([
      ['fees_above_ceiling', 'Bitcoin', 'withdrawal a waits, and 1 others'],
      ['fees_above_ceiling', 'Bitcoin', 'withdrawal a waits'],
    ])
  })
})
