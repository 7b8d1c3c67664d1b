import { env } from 'cloudflare:test'
import { beforeEach, expect, it } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { readLastPayout } from '../../../../worker/features/payouts/end/settle-spent.ts'
import { putPayoutRecord } from '../../../../worker/features/payouts/record/payout-records.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear, type Row } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

useDevnet()
beforeEach(() => clear('transactions', 'tx_chains', 'withdrawals'))

const coin = { txid: 'c'.repeat(64), vout: 0, value: 9n, script: '51' }
const payout = encodeTransaction({
  ...{ version: 2, lockTime: 0, outputs: [{ value: 6n, script: Uint8Array.of(0x52) }] },
  inputs: [{ ...coin, script: Uint8Array.of(0x51), sequence: 0, witness: [] }],
})
const txid = transactionId(payout)

/** How the wallet knows the payout, and the output of it that is unspent. */
interface Node {
  known?: { confirmations: string; abandoned?: boolean }
  unspent?: number
}

async function fate({ known, unspent }: Node, row?: Row): Promise<string | undefined> {
  const asked = { id: 'w', account: 'ada', address: 'x', script: '52', amount: 6n, fee: 1n, feeRate: 1n }
  const txChain = { script: '51', vsize: 1, fee: 1n, changeVout: 0, changeValue: 0n }
  await putPayoutRecord(env.BUCKET, 'Bitcoin', txid, { ...asked, coin, txChain })
  await add('tx_chains', { id: 1 })
  await add('withdrawals', { id: 'w' })
  if (row) await add('transactions', { txid, withdrawal_id: 'w', ...row })
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ method, params }) => {
      if (method === 'gettxout') return { result: unspent !== undefined && params?.[1] === unspent ? {} : null }
      if (!known) return { error: { code: -5, message: 'not found' } }
      const { confirmations, abandoned = false } = known
      return { result: { hex: toHex(payout), confirmations, details: [{ category: 'send', abandoned }] } }
    })
  const last = await readLastPayout({ ...contextOf(), rpc }, 'w')
  return last && `${last.txid === txid} ${last.fate}`
}

it('there is no last payout of a withdrawal without a record of one', async () => {
  expect(await readLastPayout(contextOf(), 'none')).toBeUndefined()
})

const SENT = { state: 'sent', sent_height: 5 }
it.each<[string, string, Node, Row | undefined]>([
  ['mined', 'the wallet knows it in a block', { known: { confirmations: '1' } }, SENT],
  ['mined', 'what it pays is unspent', { unspent: 0 }, SENT],
  ['mined', 'its change is unspent', { unspent: 1 }, undefined],
  ['impossible', 'another one has replaced it', { known: { confirmations: '-1' } }, SENT],
  ['impossible', 'the operator has abandoned it', { known: { confirmations: '0', abandoned: true } }, SENT],
  ['impossible', 'no node has ever taken it', {}, { state: 'signed', attempts: 1 }],
  ['unknown', 'it waits', { known: { confirmations: '0' } }, { state: 'signed' }],
  ['unknown', 'the wallet has lost what a node took', {}, SENT],
  ['unknown', 'both the wallet and the database have lost it', {}, undefined],
])('a last payout is %s where %s', async (expected, _, node, row) => {
  expect(await fate(node, row)).toBe(`true ${expected}`)
})
