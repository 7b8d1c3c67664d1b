import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, readStripped } from '../../../../protocol/transaction.ts'
import { recordPayments } from '../../../../worker/features/payments/record-payments.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear, read } from '../../rows.ts'

const TIP = { height: 100, hash: 'tip' }
const SCRIPT = Uint8Array.of(0x51)
const INPUT = { txid: 'c'.repeat(64), vout: 0, script: new Uint8Array(), sequence: 0, witness: [] }

/** A transaction that pays so much to our address, as the wallet tells of it. */
function paying(value: bigint, timereceived: string) {
  const bytes = encodeTransaction({ version: 2, inputs: [INPUT], outputs: [{ value, script: SCRIPT }], lockTime: 0 })
  return { txid: readStripped(bytes).txid, hex: toHex(bytes), timereceived }
}

/** What a look records that lists two payments, which the wallet says conflict or not, at `now`. */
async function look(payments: readonly ReturnType<typeof paying>[], conflicting: boolean): Promise<void> {
  const [first] = payments
  const transactions = payments.map((one) => ({ ...one, category: 'receive', address: 'paid' }))
  const answers: Record<string, (txid: unknown) => unknown> = {
    getwalletinfo: () => ({ txcount: '2', scanning: false }),
    getaddressinfo: () => ({ ismine: true }),
    listsinceblock: () => ({ transactions }),
    gettransaction: (txid) => {
      const others = payments.filter((one) => one.txid !== txid).map((one) => one.txid)
      const walletconflicts = conflicting ? others : []
      return { ...payments.find((one) => one.txid === txid), confirmations: '0', walletconflicts }
    },
  }
  const rpc = async (calls: readonly { method: string; params: readonly unknown[] }[]) =>
    calls.map(({ method, params: [txid] }) => {
      const isGone = method === 'getmempoolentry' && txid === first?.txid
      return isGone ? { error: { code: -5, message: 'not there' } } : { result: answers[method]?.(txid) ?? {} }
    })
  await recordPayments({ ...contextOf(), db: env.DB, rpc, now: 30_000 }, TIP)
}

const [FIRST, SECOND] = [paying(600n, '10'), paying(1_500n, '20')]

beforeEach(async () => {
  await clear('outputs', 'addresses', 'wallet_scans', 'blocks')
  await add('blocks', { height: 99, hash: 'searched' }, TIP)
  await add('wallet_scans', { blockchain: 'Bitcoin', height: 99, hash: 'searched', tx_count: 2, wallet_keys: '11' })
  await add('addresses', { address: 'paid', script: toHex(SCRIPT) })
})

describe('a payment that the mempool has lost', () => {
  it('counts once for what was in time where it is listed again with what replaced it', async () => {
    // It was in a block when it was recorded, and is listed because it is in none any more.
    await add('outputs', { txid: FIRST.txid, address: 'paid', amount: '600', seen_at: 10_000, block_hash: 'left' })
    await look([FIRST, SECOND], true)
    expect(await read('outputs', 'txid', 'early_amount')).toEqual({ [FIRST.txid]: null, [SECOND.txid]: '600' })
  })

  it('makes none earlier that has not replaced it', async () => {
    await look([FIRST, SECOND], false)
    expect(await read('outputs', 'txid', 'early_at')).toEqual({ [FIRST.txid]: null, [SECOND.txid]: null })
    // Both were known when they were asked for: a rescan will not find them again.
    expect(await read('wallet_scans', 'blockchain', 'tx_count')).toEqual({ Bitcoin: 2 })
  })

  it('is looked up further, while no block has another in its place', async () => {
    await add('outputs', { txid: FIRST.txid, address: 'paid', amount: '600', seen_at: 10_000, in_mempool: 1 })
    await look([FIRST], false)
    expect(await read('outputs', 'txid', "in_mempool || ' ' || dropped || ' ' || gone_at")).toEqual({
      [FIRST.txid]: '0 0 30000',
    })
  })
})

it('nothing is recorded by a look at a tip that another step has replaced', async () => {
  await add('blocks', { height: 101, hash: 'above' })
  await look([FIRST, SECOND], true)
  expect(await read('outputs', 'txid', 'amount')).toEqual({})
})
