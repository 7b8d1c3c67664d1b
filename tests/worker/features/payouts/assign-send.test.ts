import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { putPayoutRecord } from '../../../../worker/features/payouts/record/payout-records.ts'
import { assignSend } from '../../../../worker/features/payouts/restore/assign-send.ts'
import { askedTwice, beaten, noted } from '../../noted-calls.ts'
import { add, clear, list, read } from '../../rows.ts'

const PAYEE = '52'
const transaction = (txid: string, outputs: readonly [bigint, number][]) =>
  encodeTransaction({
    ...{ version: 2, lockTime: 0 },
    inputs: [{ txid, vout: 1, script: new Uint8Array(0), sequence: 0, witness: [] }],
    outputs: outputs.map(([value, script]) => ({ value, script: Uint8Array.of(script) })),
  })
/** What the payout spends: its second output. */
const source = transaction('c'.repeat(64), [
  [1n, 0x51],
  [9n, 0x53],
])
const coin = { txid: transactionId(source), vout: 1 }
const payout = transaction(coin.txid, [
  [2n, 0x51],
  [6n, 0x52],
])
const txid = transactionId(payout)

/** The record of the payout, as of a withdrawal of this account. */
function recordOf(account: string) {
  const txChain = { script: '51', vsize: 100, fee: 1n, changeVout: 0, changeValue: 2n }
  const asked = { id: 'paid', account, address: 'x', script: PAYEE, amount: 6n, fee: 1n, feeRate: 1n }
  return { ...asked, coin: { ...coin, value: 9n, script: '53' }, txChain }
}

beforeEach(async () => {
  await clear(
    'transaction_inputs',
    'transactions',
    'tx_chains',
    'sends',
    'withdrawals',
    'ledger',
    'stops',
    'users',
    'blocks',
  )
  await add('users', { id: 'ada' })
  await add('sends', { blockchain: 'Bitcoin', txid, amount: '6', seen_at: 0 })
})

/** Assigns the payout where the node's wallet knows `known`. */
async function assign(
  order: { as: 'withdrawal' | 'sweep' | 'foreign'; account?: string },
  { known = [payout, source], isBeaten = false, name = txid } = {},
) {
  const { context, calls } = noted()
  const answers = new Map(known.map((bytes) => [transactionId(bytes), { hex: toHex(bytes), confirmations: '3' }]))
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ params: [asked] }) => {
      const result = answers.get(String(asked))
      return result ? { result } : { error: { code: -5, message: '' } }
    })
  let noticed = 0
  const given = { ...(isBeaten ? beaten(context) : context), rpcOf: () => rpc, bucket: env.BUCKET }
  const noticeRestore = async () => void noticed++
  const asked = { account: undefined, amount: undefined, ...order }
  const assigned = await assignSend({ ...given, noticeRestore }, name, asked, () => [])
  return { ...assigned, noticed, calls }
}

describe('what left the wallet', () => {
  it('is assigned as the payment of the waiting withdrawal of the same script and amount, with the coin that it spends', async () => {
    await add('withdrawals', { id: 'other', script: PAYEE, amount: '5' }, { id: 'paid', script: PAYEE, amount: '6' })
    expect(await assign({ as: 'withdrawal' })).toMatchObject({ account: 'ada', loss: 0n, noticed: 1 })
    expect(await read('withdrawals', 'id', "state || ' ' || IFNULL(coin_txid || ':' || coin_vout, '')")).toEqual({
      ...{ other: 'waiting ', paid: `waiting ${coin.txid}:1` },
    })
    expect([await list('transactions', 'txid'), await list('sends', 'assigned')]).toEqual([[txid], ['withdrawal']])
  })

  it('is assigned once', async () => {
    await assign({ as: 'foreign' })
    for (const as of ['foreign', 'sweep', 'withdrawal'] as const)
      await expect(assign({ as, account: 'ada' })).rejects.toMatchObject({ code: 'send_assigned' })
    await expect(assign({ as: 'foreign' }, { name: 'f'.repeat(64) })).rejects.toMatchObject({ status: 404 })
    expect([await list('sends', "assigned || ' ' || loss"), await list('withdrawals', 'id')]).toEqual([
      ['foreign 0'],
      [],
    ])
  })

  it('is foreign without a question to the node, and debits nobody', async () => {
    await add('withdrawals', { id: 'paid', script: PAYEE, amount: '6' })
    expect(await assign({ as: 'foreign' }, { known: [] })).toMatchObject({ account: undefined, loss: 0n, noticed: 0 })
    expect([await list('transactions', 'txid'), await list('withdrawals', 'coin_txid')]).toEqual([[], [null]])
  })

  it('is the payout of no account that nobody names, and of none that there is not', async () => {
    await expect(assign({ as: 'withdrawal' })).rejects.toMatchObject({ status: 400 })
    await expect(assign({ as: 'withdrawal', account: 'eve' })).rejects.toMatchObject({ status: 404 })
    expect([await list('sends', 'assigned'), await list('withdrawals', 'id')]).toEqual([[null], []])
  })

  it('is recorded as a withdrawal of the account that is named, with what its balance lacks as the loss', async () => {
    await add('ledger', { seq: 1, amount: '4', balance: '4', cause: 'manual:a' })
    const assigned = await assign({ as: 'withdrawal', account: 'ada@x.example' })
    expect(assigned).toMatchObject({ account: 'ada', loss: 2n })
    expect(askedTwice(assigned.calls)).toEqual([])
    expect(await list('withdrawals', "user_id || ' ' || amount || ' ' || fee || ' ' || fee_rate")).toEqual([
      'ada 6 0 0',
    ])
    expect(await list('transactions', 'fee')).toEqual(['0'])
    expect(await list('transactions', "change_vout || ' ' || change_value")).toEqual(['0 2'])
    expect(await list('ledger', 'balance')).toEqual(['0', '4'])
  })

  it('has no change where it has one output', async () => {
    const whole = transaction(coin.txid, [[8n, 0x52]])
    const name = transactionId(whole)
    await add('sends', { blockchain: 'Bitcoin', txid: name, amount: '8', seen_at: 0 })
    await assign({ as: 'sweep' }, { known: [whole, source], name })
    expect(await list('transactions', 'change_value')).toEqual(['0'])
  })

  it('counts as sent at the newest block, and at block 0 where none is followed', async () => {
    const sentAt = () => list('transactions', "sent_height || ' ' || checked_height")
    await assign({ as: 'sweep' })
    expect(await sentAt()).toEqual(['0 -1'])
    await clear('transaction_inputs', 'transactions', 'sends')
    await add('sends', { blockchain: 'Bitcoin', txid, amount: '6', seen_at: 0 })
    await add('blocks', { height: 7, hash: 'seven' })
    await assign({ as: 'sweep' })
    expect(await sentAt()).toEqual(['7 6'])
  })

  it("is a sweep of the service's, which no balance pays for, whoever is named", async () => {
    await add('ledger', { seq: 1, amount: '4', balance: '4', cause: 'manual:a' })
    expect(await assign({ as: 'sweep', account: 'ada' })).toMatchObject({ account: 'service', loss: 0n })
    expect([await list('withdrawals', 'user_id'), await list('ledger', 'balance')]).toEqual([['service'], ['4']])
  })

  it('waits where the wallet knows neither it nor what it spends', async () => {
    for (const known of [[], [payout], [source]])
      await expect(assign({ as: 'sweep' }, { known })).rejects.toMatchObject({ status: 404 })
    expect(await list('sends', 'assigned')).toEqual([null])
  })

  it('waits until the deposits since a restore are found again, but for what is foreign', async () => {
    await add('stops', { blockchain: 'Bitcoin', part: 'payouts', cause: 'restored', reason: '', since: 1 })
    await expect(assign({ as: 'sweep' })).rejects.toMatchObject({ status: 503, code: 'payouts_stopped' })
    expect(await assign({ as: 'foreign' })).toMatchObject({ assigned: 'foreign' })
  })

  it('is no payment of a withdrawal that is over, and what another agent just signed for one is never sent', async () => {
    await putPayoutRecord(env.BUCKET, 'Bitcoin', txid, recordOf('ada'))
    await add('withdrawals', { id: 'paid', script: PAYEE, amount: '6', state: 'refunded' })
    await expect(assign({ as: 'withdrawal' })).rejects.toMatchObject({ code: 'withdrawal_ended' })
    await env.DB.prepare("UPDATE withdrawals SET state = 'waiting'").run()
    await add('tx_chains', { id: 1 })
    await add('transactions', { txid: 'twice', withdrawal_id: 'paid', state: 'signed' })
    expect(await assign({ as: 'withdrawal' }, { known: [] })).toMatchObject({ account: 'ada' })
    expect(await read('transactions', 'txid', 'state')).toEqual({ [txid]: expect.any(String), twice: 'dead' })
  })

  it('is a loss of amount and fee where the account that its record names is gone', async () => {
    await putPayoutRecord(env.BUCKET, 'Bitcoin', txid, recordOf('gone'))
    expect(await assign({ as: 'withdrawal' })).toMatchObject({ account: 'gone', loss: 7n })
    expect([await list('sends', 'loss'), await list('ledger', 'amount')]).toEqual([['7'], []])
  })

  it('stays where others were faster five times', async () => {
    await expect(assign({ as: 'sweep' }, { isBeaten: true })).rejects.toMatchObject({ code: 'request_changing' })
    await expect(assign({ as: 'foreign' }, { isBeaten: true })).rejects.toMatchObject({ code: 'send_assigned' })
  })
})
