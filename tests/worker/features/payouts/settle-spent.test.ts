import { env } from 'cloudflare:test'
import { beforeEach, expect, it } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { settleSpent } from '../../../../worker/features/payouts/end/settle-spent.ts'
import { type PayoutRecord, putPayoutRecord } from '../../../../worker/features/payouts/record/payout-records.ts'
import { selectWithdrawalsById } from '../../../../worker/features/payouts/sql/withdrawals.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear, list, type Row, read } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

useDevnet()
const { DB, BUCKET } = env
beforeEach(() => clear('sends', 'ledger', 'transaction_inputs', 'transactions', 'tx_chains', 'withdrawals'))

const coin = { txid: 'c'.repeat(64), vout: 0, value: 9n, script: '51' }
const input = { ...coin, script: Uint8Array.of(0x51), sequence: 0, witness: [] }
const payout = encodeTransaction({
  ...{ version: 2, inputs: [input], lockTime: 0 },
  outputs: [{ value: 6n, script: Uint8Array.of(0x52) }],
})
const txid = transactionId(payout)
const TIED = { coin_txid: coin.txid, coin_vout: 0, coin_value: '9', coin_script: '51' }

/** The withdrawal of a test: the bucket and the audit log keep those before. */
let id = ''
let made = 0
beforeEach(() => {
  id = `paid-${++made}`
})

/** The withdrawal, with the record of its payout. */
async function recorded(given: Partial<PayoutRecord> = {}, withdrawal: Row = {}): Promise<void> {
  const asked = { id, account: 'ada', address: 'x', script: '52', amount: 6n, fee: 1n, feeRate: 1n }
  const txChain = { script: '53', vsize: 100, fee: 2n, changeVout: 1, changeValue: 4n }
  await add('withdrawals', { id, amount: '6', ...TIED, ...withdrawal })
  await putPayoutRecord(BUCKET, 'Bitcoin', txid, { ...asked, coin, txChain, ...given })
}

/** Settles it where the wallet has the payout, with so many confirmations; `undefined`: it does not. */
async function settle(confirmations: string | undefined): Promise<void> {
  const rpc: WalletRpc = async (calls) =>
    calls.map(() =>
      confirmations === undefined
        ? { error: { code: -5, message: 'not found' } }
        : { result: { hex: toHex(payout), confirmations } },
    )
  const [withdrawal] = await selectWithdrawalsById(DB, [id])
  if (withdrawal) await settleSpent({ ...contextOf('Bitcoin', 5), rpc }, { height: 9, hash: '' }, withdrawal)
}

it('a payout that the database had lost is no unknown send any more once the agent has found it', async () => {
  await recorded()
  await add('sends', { blockchain: 'Bitcoin', txid, amount: '6', seen_at: 0 })
  await settle('3')
  expect(await read('sends', 'txid', 'assigned')).toEqual({ [txid]: 'withdrawal' })
})

it('a sweep that the database had lost is no loss and no payout to a customer', async () => {
  await recorded({}, { user_id: 'service' })
  await add('sends', { blockchain: 'Bitcoin', txid, amount: '6', seen_at: 0 })
  await settle('3')
  expect(await read('sends', 'txid', "assigned || ' ' || loss")).toEqual({ [txid]: 'sweep 0' })
})

it('a payout that the database had lost is written down with what it spends, to be looked up in its block', async () => {
  await recorded({}, { user_id: id, coin_txid: null, state: 'failed' })
  await add('tx_chains', { id: 4, coin_txid: 'other' })
  await settle('0')
  const columns =
    "tx_chain || ' ' || seq || ' ' || withdrawal_id || ' ' || state || ' ' || attempts || ' ' || checked_height"
  expect(await list('transactions', columns)).toEqual([`5 0 ${id} sent 1 8`])
  expect(await list('transactions', "sent_height || ' ' || fee || ' ' || change_vout || ' ' || change_value")).toEqual([
    '9 2 1 4',
  ])
  expect(await list('tx_chains WHERE id = 5', 'coin_txid || state || script || coin_script')).toEqual([
    `${coin.txid}closed5351`,
  ])
  expect(await list('transaction_inputs', "prev_txid || ':' || prev_vout || ' ' || txid")).toEqual([
    `${coin.txid}:0 ${txid}`,
  ])
  expect(await list('withdrawals', "state || ' ' || coin_txid")).toEqual([`waiting ${coin.txid}`])
  expect(await list(`audit WHERE account = '${id}'`, "act || ' ' || subject")).toEqual([
    `send.assigned transaction:${txid}`,
  ])
})

it('a payout with a higher fee than the database has is debited as its owner has consented, as far as the balance goes', async () => {
  await recorded({ fee: 7n })
  await add('ledger', { seq: 1, amount: '4', balance: '4', cause: 'manual:a' })
  await add('sends', { blockchain: 'Bitcoin', txid, amount: '6', seen_at: 0 })
  await settle('1')
  expect(await list('ledger', 'amount')).toEqual(['-4', '4'])
  expect(await list('withdrawals', 'fee')).toEqual(['7'])
  expect(await read('sends', 'txid', "assigned || ' ' || loss")).toEqual({ [txid]: 'withdrawal 2' })
})

it.each<[string, string | undefined]>([
  ['something else has replaced', '-1'],
  ['the wallet does not know', undefined],
])('a payout that %s counts as none: an operator has to decide', async (_, confirmations) => {
  await recorded()
  await expect(settle(confirmations)).rejects.toThrow(`Its last payout was ${txid}.`)
  expect([await list('transactions', 'txid'), await list('tx_chains', 'id')]).toEqual([[], []])
})

it('a withdrawal without a record of a payout is for an operator, too', async () => {
  await add('withdrawals', { id, ...TIED })
  await expect(settle('3')).rejects.toThrow('is spent: by somebody else')
})

it.each<[string, boolean]>([
  ['0', true],
  ['3', true],
  ['-1', false],
])(
  'a payout that was given up counts as sent where the wallet has it, with %s confirmations: %s',
  async (known, isSent) => {
    await add('withdrawals', { id, ...TIED })
    await add('tx_chains', { id: 1 })
    await add('transactions', { txid, withdrawal_id: id, state: 'dead', dead: 1 })
    const settled = settle(known)
    if (isSent) await settled
    else await expect(settled).rejects.toThrow('is spent')
    expect(await list('transactions', "state || IFNULL(checked_height, '')")).toEqual([isSent ? 'sent8' : 'dead'])
  },
)
