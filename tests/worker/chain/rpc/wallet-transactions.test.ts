import { expect, it, vi } from 'vitest'
import { fromHex, toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import { listPaymentsInPages, readWalletTransactions } from '../../../../worker/chain/rpc/transaction-methods.ts'

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

/** A wallet with so many payments of one block each, the newest first and last listed, as nodes list them; `asked` are the places of its pages. */
function wallet(payments: number) {
  const asked: unknown[] = []
  const rpc = async ([call]: readonly { params: readonly unknown[] }[]) => {
    const [, count, skip] = (call?.params ?? []).map(Number)
    asked.push(skip)
    const first = Math.max(0, payments - Number(skip) - Number(count))
    const result = Array.from({ length: Math.max(0, payments - Number(skip) - first) }, (_, index) => ({
      ...{ category: 'receive', address: 'a', txid: String(first + index), timereceived: '7' },
      confirmations: String(payments - first - index),
    }))
    return [{ result }]
  }
  return { rpc, asked }
}

it('lists a long history in pages of a thousand, back to the depth that is asked for', async () => {
  const { rpc, asked } = wallet(5_500)
  const { entries, listed } = await listPaymentsInPages(rpc, 1_500)
  expect([entries.length, listed.size, asked]).toEqual([1_500, 1_500, [0, 1_000, 2_000]])
  expect(entries[0]).toEqual({ txid: '4500', address: 'a', blockHash: undefined, seenAt: 7_000 })
  const whole = wallet(5_500)
  expect((await listPaymentsInPages(whole.rpc, Number.POSITIVE_INFINITY)).entries).toHaveLength(5_500)
  expect(whole.asked.at(-1)).toBe(5_000)
})

it('lists a hundred pages at most', async () => {
  const entry = { category: 'receive', address: 'a', txid: '1', timereceived: '7', confirmations: '1' }
  const result = new Array<typeof entry>(1_000).fill(entry)
  const rpc = vi.fn(async () => [{ result }])
  await expect(listPaymentsInPages(rpc, 5)).rejects.toMatchObject({ failure: 'large' })
  expect(rpc).toHaveBeenCalledTimes(100)
})
