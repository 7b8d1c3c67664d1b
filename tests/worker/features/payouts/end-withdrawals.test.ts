import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { endWithdrawals } from '../../../../worker/features/payouts/end/end-withdrawals.ts'
import { putPayoutRecord } from '../../../../worker/features/payouts/record/payout-records.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, addMany, clear, count, list, type Row, read } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

useDevnet()
const { DB, BUCKET } = env
const NOW = 1_800_000_000_000
const HASH = 'a'.repeat(64)
const TABLES = ['failed_records', 'stops', 'events', 'ledger', 'withdrawals', 'transactions', 'tx_chains', 'blocks']

beforeEach(async () => {
  await clear(...TABLES)
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
})
afterEach(() => clear(...TABLES))

const spending = (txid: string) =>
  encodeTransaction({
    ...{ version: 2, lockTime: 0, outputs: [{ value: 7n, script: Uint8Array.of(0x51) }] },
    inputs: [{ txid, vout: 0, script: new Uint8Array(0), sequence: 0, witness: [] }],
  })
const source = spending('d'.repeat(64))
const COIN = transactionId(source)
const bytes = spending(COIN)
const PAYOUT = transactionId(bytes)

/** The withdrawal of a test: the audit log keeps those before. */
let id = ''
let made = 0

/** A withdrawal of 7 and a fee of 1 that is to end, of an account that has 2 left, with what was signed for it. */
async function ending(withdrawal: Row = {}, payout: Row = {}): Promise<void> {
  id = `ends-${++made}`
  const coin = { coin_txid: COIN, coin_vout: 0, coin_value: '9', coin_script: '' }
  await add('ledger', { seq: 1, amount: '10', balance: '10', cause: 'output:o:0' })
  await add('ledger', { seq: 2, amount: '-7', balance: '3', cause: `withdrawal:${id}` })
  await add('ledger', { seq: 3, amount: '-1', balance: '2', cause: `withdrawal-fee:${id}` })
  await add('withdrawals', { id, amount: '7', state: 'sent', ending: 'refunded', ...coin, ...withdrawal })
  await add('tx_chains', { id: 1, ...coin }, { id: 2, coin_txid: 'other' })
  await add('transactions', { txid: PAYOUT, withdrawal_id: id, attempts: 1, ...payout })
}

/** The last payout of the withdrawal, which a node has taken. */
async function recordPayout(): Promise<void> {
  await DB.prepare('UPDATE transactions SET sent_height = 5').run()
  const paid = { id, account: 'ada', amount: 7n, fee: 1n, feeRate: 1n, address: '', script: '' }
  const coin = { txid: COIN, vout: 0, value: 9n, script: '51' }
  const txChain = { script: '', vsize: 1, fee: 1n, changeVout: 0, changeValue: 1n }
  await putPayoutRecord(BUCKET, 'Bitcoin', PAYOUT, { ...paid, coin, txChain })
}

/** What a node answers: whether the coin is unspent, and how the wallet knows the payout. */
interface Node {
  unspent?: boolean
  /** What the payout pays is unspent. */
  paid?: boolean
  known?: { confirmations: string; abandoned?: boolean }
  /** The transaction of the coin is in no block, and may be mined again. */
  pending?: boolean
}

/** One step at a height; `hash` is of the block that the step was begun with. */
async function step(
  { unspent = false, paid = false, known, pending = false }: Node,
  height = 100,
  hash = HASH,
): Promise<boolean> {
  await clear('blocks')
  await add('blocks', { height, hash: HASH })
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ method, params }) => {
      if (method === 'gettxout') return { result: (params?.[0] === COIN ? unspent : paid) ? {} : null }
      if (method === 'gettransaction' && params?.[0] === COIN && pending)
        return { result: { hex: toHex(source), confirmations: '0' } }
      if (method !== 'gettransaction' || params?.[0] !== PAYOUT || !known)
        return { error: { code: -5, message: 'not found' } }
      const { confirmations, abandoned = false } = known
      return { result: { hex: toHex(bytes), confirmations, details: [{ category: 'send', abandoned }] } }
    })
  return await endWithdrawals({ ...contextOf('Bitcoin', NOW), rpc }, { height, hash })
}

const states = () => list('withdrawals', "state || ' ' || IFNULL(ending, '')")
const audited = () => list(`audit WHERE subject = 'withdrawal:${id}'`, "act || ': ' || reason")
const PAID_AFTER_ALL = 'withdrawal.ended: Its transaction was mined before it could be ended.'
const moves = () => count('ledger')

describe('a withdrawal that ends', () => {
  it('is paid after all where a block has its payout, and returns nothing', async () => {
    await ending({}, { state: 'mined', block_height: 90 })
    await step({})
    expect([await states(), await moves()]).toEqual([['sent '], 3])
    expect(await audited()).toEqual([PAID_AFTER_ALL])
  })

  it('is paid after all where the wallet knows its payout in a block, and counts that as sent', async () => {
    await ending({}, { state: 'dead', dead: 1 })
    const known = { confirmations: '1' }
    await step({ known }, 100, 'f'.repeat(64))
    expect([await states(), await list('transactions', 'state')]).toEqual([['sent refunded'], ['dead']])
    await step({ known })
    expect([await states(), await list('transactions', 'state')]).toEqual([['sent '], ['sent']])
    expect([await moves(), await audited()]).toEqual([3, [PAID_AFTER_ALL]])
  })

  it('ends once something else has spent its coin for six blocks, with an event, and what was never sent is not any more', async () => {
    await ending({}, { state: 'signed', attempts: 0 })
    await step({})
    expect(await list('withdrawals', 'spent_height')).toEqual([100])
    expect(await list('withdrawals', 'reason')).toEqual([expect.stringContaining('Another transaction has spent')])
    await step({}, 105)
    expect(await states()).toEqual(['sent refunded'])
    await step({}, 106, 'f'.repeat(64))
    expect([await states(), await moves()]).toEqual([['sent refunded'], 3])
    await step({}, 106)
    expect([await states(), await list('transactions', 'state')]).toEqual([['refunded '], ['dead']])
    expect(await list('ledger', "cause || ' ' || amount || ' ' || balance")).toContain(`withdrawal-refund:${id} 8 10`)
    expect(await read('events', 'subject', 'type')).toEqual({ [id]: 'withdrawal.refunded' })
    expect(await audited()).toEqual(['withdrawal.ended: refunded'])
  })

  it('ends for an operator who pays it elsewhere without that its money is returned', async () => {
    await ending({ ending: 'paid_elsewhere', spent_height: 94 })
    await step({})
    expect([await states(), await moves()]).toEqual([['paid_elsewhere '], 3])
  })

  it('waits while the database is older than what was paid out', async () => {
    await ending({ spent_height: 1 })
    await add('stops', { blockchain: 'Bitcoin', part: 'payouts', cause: 'restored', reason: '', since: 0 })
    await step({})
    expect([await states(), await moves()]).toEqual([['sent refunded'], 3])
  })

  it('counts anew what spends its coin where a reorganisation has removed that', async () => {
    await ending({ spent_height: 10, back_height: 100 })
    await step({ unspent: true })
    expect([await list('withdrawals', 'spent_height'), await states()]).toEqual([[null], ['sent refunded']])
  })

  it('counts anew what spends its coin where a reorganisation has removed the coin, too', async () => {
    await ending({ spent_height: 10 })
    await step({ pending: true })
    expect([await list('withdrawals', 'spent_height'), await states()]).toEqual([[null], ['sent refunded']])
    expect(await list('withdrawals', 'reason')).toEqual([expect.stringContaining('is not on the chain for now')])
  })

  it('does not wait for its coin where an operator had the wallet abandon what was signed', async () => {
    await ending()
    await step({ pending: true, known: { confirmations: '0', abandoned: true } })
    expect(await list('withdrawals', 'spent_height')).toEqual([100])
  })

  it('is one of twenty that a step looks at, and of as many again in turn', async () => {
    // The last twenty wait longest.
    const coin = { coin_txid: `'${COIN}'`, coin_vout: '0', coin_value: "'1'", coin_script: "'51'" }
    await addMany('withdrawals', 60, { id: "printf('x%02d', n)", since: '60 - n', ending: "'refunded'", ...coin })
    await step({})
    expect(await list('withdrawals WHERE spent_height = 100', 'id')).toHaveLength(40)
  })

  it('waits for items that stand on its payout and that nodes may have', async () => {
    await ending()
    await add('transactions', { txid: 'behind', seq: 1, item_id: 'i', item_index: 0, attempts: 1 })
    expect(await step({ unspent: true })).toBe(false)
    expect(await list('withdrawals', 'reason')).toEqual([
      expect.stringContaining('Transactions of paid items stand on'),
    ])
    expect(await list('withdrawals', 'back_tx_chain')).toEqual([null])
  })

  it('waits for an operator where the wallet has lost its last payout, which is said once', async () => {
    await ending({ spent_height: 1 })
    await recordPayout()
    const log = vi.spyOn(console, 'error')
    for (const height of [100, 101]) await step({}, height)
    expect([await states(), log.mock.calls.length]).toEqual([['sent refunded'], 1])
    expect(await list('withdrawals', 'reason')).toEqual([expect.stringContaining(PAYOUT)])
    // Another one has replaced it.
    await step({ known: { confirmations: '-3' } }, 102)
    expect(await states()).toEqual(['refunded '])
  })

  it('returns nothing where what its last payout paid is unspent, though the wallet does not know that', async () => {
    await ending({ spent_height: 1 })
    await recordPayout()
    await step({ paid: true })
    expect([await states(), await moves(), await list('failed_records', 'id')]).toEqual([['sent refunded'], 3, [id]])
  })

  it('with its coin back in the wallet ends when that is six blocks deep', async () => {
    await ending({ back_tx_chain: 2 }, { state: 'dead', dead: 1 })
    await add('transactions', { txid: 'back', tx_chain: 2 })
    await step({}, 500)
    expect(await states()).toEqual(['sent refunded'])
    await DB.prepare("UPDATE transactions SET state = 'mined', block_height = 100 WHERE txid = 'back'").run()
    await step({}, 104)
    expect(await states()).toEqual(['sent refunded'])
    await step({}, 105)
    expect(await states()).toEqual(['refunded '])
  })
})
