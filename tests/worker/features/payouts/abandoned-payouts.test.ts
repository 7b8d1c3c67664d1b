import { afterEach, beforeEach, expect, it } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { endWithdrawals } from '../../../../worker/features/payouts/end/end-withdrawals.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear, list } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

useDevnet()
const TABLES = ['withdrawals', 'transactions', 'tx_chains']
beforeEach(() => clear(...TABLES))
afterEach(() => clear(...TABLES))

/** A transaction that spends one output, and pays so much. */
function spending(txid: string, value: bigint) {
  const bytes = encodeTransaction({
    ...{ version: 2, lockTime: 0 },
    inputs: [{ txid, vout: 0, script: new Uint8Array(0), sequence: 0, witness: [] }],
    outputs: [{ value, script: Uint8Array.of(0x51) }],
  })
  return { txid: transactionId(bytes), hex: toHex(bytes) }
}

const source = spending('a'.repeat(64), 9n)
const payouts = [spending(source.txid, 7n), spending(source.txid, 6n)]

/** What a withdrawal that ends waits for, whose coin is of a transaction in no block, where the wallet has abandoned some of its payouts. */
async function waitsFor(abandoned: readonly { txid: string }[]): Promise<unknown> {
  await clear(...TABLES)
  await add('tx_chains', { id: 1, state: 'closed' }, { id: 2, state: 'closed' })
  // Two that live can't pay one withdrawal: the first was given up.
  const given = [{ state: 'dead', dead: 1 }, { state: 'sent' }]
  const rows = payouts.map(({ txid }, index) => ({ txid, withdrawal_id: 'w', tx_chain: index + 1, ...given[index] }))
  await add('transactions', ...rows)
  const tied = { coin_txid: source.txid, coin_vout: 0, coin_value: '9', coin_script: '' }
  await add('withdrawals', { id: 'w', state: 'sent', ending: 'refunded', ...tied })
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ method, params }) => {
      const known = [source, ...payouts].find(({ txid }) => txid === params?.[0])
      if (method !== 'gettransaction' || !known) return { result: null }
      const details = [{ category: 'send', abandoned: abandoned.includes(known) }]
      return { result: { hex: known.hex, confirmations: '0', details } }
    })
  await endWithdrawals({ ...contextOf(), rpc }, { height: 9, hash: '' })
  return (await list('withdrawals', 'reason'))[0]
}

it('a withdrawal ends by what else has spent its coin only once all of its payouts are abandoned: any other may be mined', async () => {
  expect(await waitsFor(payouts.slice(0, 1))).toContain('not on the chain for now')
  expect(await waitsFor(payouts)).toContain('Another transaction has spent the coin')
})
