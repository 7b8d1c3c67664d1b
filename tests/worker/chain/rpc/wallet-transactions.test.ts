import { expect, it } from 'vitest'
import { fromHex, toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import { listHistorySince, readWalletTransactions } from '../../../../worker/chain/rpc/transaction-methods.ts'

const bytes = encodeTransaction({
  version: 2,
  inputs: [{ txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(0), sequence: 0xffff_ffff, witness: [] }],
  outputs: [{ value: 1_000n, script: fromHex('51') ?? new Uint8Array(0) }],
  lockTime: 0,
})

/** What is read of a wallet that tells these details of its only transaction. */
async function readWith(details: unknown): Promise<boolean | undefined> {
  const result = { hex: toHex(bytes), confirmations: '0', ...(details === undefined ? {} : { details }) }
  const [known] = await readWalletTransactions(async () => [{ result }], [transactionId(bytes)])
  return known?.abandoned
}

it('knows a transaction that the wallet was told to forget, by any of its details', async () => {
  expect(await readWith([{ category: 'receive' }, { category: 'send', abandoned: true }])).toBe(true)
  expect(await readWith([{ category: 'send', abandoned: false }])).toBe(false)
  expect(await readWith([])).toBe(false)
  expect(await readWith(undefined)).toBe(false)
})

it('counts as what left the wallet what is in a block or may still be, not what a block has replaced', async () => {
  const send = (txid: string, amount: string, confirmations: string) => ({
    category: 'send',
    txid,
    amount,
    confirmations,
  })
  const transactions = [
    ...[send('a', '-0.5', '3'), send('a', '-0.25', '3'), send('b', '-1', '0'), send('replaced', '-1', '-2')],
    ...[send('own', '0', '1'), { ...send('in', '2', '1'), category: 'receive' }],
  ]
  const named = transactions.map((one) => ({ ...one, timereceived: '1' }))
  const read = await listHistorySince(
    async () => [{ result: { transactions: named } }],
    undefined,
    async () => {},
  )
  expect(read.sends).toEqual([
    { txid: 'a', amount: 75_000_000n },
    { txid: 'b', amount: 100_000_000n },
  ])
})
