import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, readStripped } from '../../../../protocol/transaction.ts'
import { recordPayments } from '../../../../worker/features/payments/record-payments.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, read } from '../../rows.ts'

const TIP = { height: 100, hash: 'tip' }
const SCRIPT = Uint8Array.of(0x51)
const INPUT = { txid: 'c'.repeat(64), vout: 0, script: new Uint8Array(), sequence: 0, witness: [] }

/** A transaction that pays so much to our address, as the wallet tells of it. */
function paying(value: bigint, timereceived: string) {
  const bytes = encodeTransaction({ version: 2, inputs: [INPUT], outputs: [{ value, script: SCRIPT }], lockTime: 0 })
  return { txid: readStripped(bytes).txid, hex: toHex(bytes), timereceived }
}

it('a payment that is listed again with what replaced it counts once for what was paid in time', async () => {
  await add('blocks', { height: 99, hash: 'searched' }, TIP)
  await add('wallet_scans', { blockchain: 'Bitcoin', height: 99, hash: 'searched', tx_count: 2, wallet_keys: '11' })
  await add('addresses', { address: 'paid', script: toHex(SCRIPT) })
  const [first, second] = [paying(600n, '10'), paying(1_500n, '20')]
  // It was in a block when it was recorded, and is listed because it is in none any more.
  await add('outputs', { txid: first.txid, address: 'paid', amount: '600', seen_at: 10_000, block_hash: 'left' })
  const transactions = [first, second].map((one) => ({ ...one, category: 'receive', address: 'paid' }))
  const answers: Record<string, (txid: unknown) => unknown> = {
    getwalletinfo: () => ({ txcount: '2', scanning: false }),
    getaddressinfo: () => ({ ismine: true }),
    listsinceblock: () => ({ transactions }),
    gettransaction: (txid) => {
      const [one, other] = txid === first.txid ? [first, second] : [second, first]
      return { ...one, confirmations: '0', walletconflicts: [other.txid] }
    },
  }
  const rpc = async (calls: readonly { method: string; params: readonly unknown[] }[]) =>
    calls.map(({ method, params: [txid] }) => {
      const isGone = method === 'getmempoolentry' && txid === first.txid
      return isGone ? { error: { code: -5, message: 'not there' } } : { result: answers[method]?.(txid) ?? {} }
    })
  await recordPayments({ ...contextOf(), db: env.DB, rpc, now: 30_000 }, TIP)
  expect(await read('outputs', 'txid', 'early_amount')).toEqual({ [first.txid]: null, [second.txid]: '600' })
})
