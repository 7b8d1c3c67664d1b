import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeBlock } from '../../devnet/block.ts'
import { deriveLedgerTransaction } from '../../devnet/ledger-transaction.ts'
import { mergeMine } from '../../devnet/merge-mine.ts'
import { input, push, transactionOf } from '../../devnet/others/write-inscription.ts'
import { fromHex } from '../../protocol/bytes.ts'
import { readBlock } from '../../protocol/read-block.ts'
import { type Transaction, TransactionError } from '../../protocol/transaction.ts'

const HEADER = {
  ...{ version: 0x00620004, previous: '0'.repeat(64), merkleRoot: '0'.repeat(64) },
  ...{ time: 1_700_000_000, bits: 0x207fffff, nonce: 0 },
}
const MERGED = mergeMine(HEADER, 'sha256d', 98).header

const transactionsOf = (count: number): Transaction[] =>
  Array.from({ length: count }, (_, index) =>
    transactionOf([input({ txid: 'ab'.repeat(32), vout: index }, { script: push('in') })]),
  )

function blockOf(header: typeof HEADER, transactions: readonly Transaction[]): Uint8Array {
  const hex = encodeBlock(
    header,
    transactions.map((one) => deriveLedgerTransaction(one)),
  )
  return fromHex(hex) ?? new Uint8Array(0)
}

describe('a block', () => {
  it.each([
    ['without an AuxPoW', HEADER],
    ['of merged mining', MERGED],
  ])('%s has its transactions in order, of whatever count', (_, header) => {
    for (const count of [1, 252, 253, 1000]) {
      const transactions = transactionsOf(count)
      expect([...readBlock(blockOf(header, transactions))]).toEqual(transactions)
    }
  })

  it('that is cut anywhere, or has a byte more, is refused', () => {
    for (const header of [HEADER, MERGED]) {
      const block = blockOf(header, transactionsOf(2))
      for (let end = 0; end < block.length; end++) {
        expect(() => [...readBlock(block.subarray(0, end))]).toThrow(TransactionError)
      }
      expect(() => [...readBlock(Uint8Array.from([...block, 0]))]).toThrow(TransactionError)
    }
  })

  it('of any bytes is read or refused, with no other error', () => {
    const bytes = fc.uint8Array({ minLength: 0, maxLength: 600 })
    const at = fc.nat({ max: 400 })
    fc.assert(
      fc.property(bytes, at, fc.boolean(), (noise, start, isNoise) => {
        const block = blockOf(MERGED, transactionsOf(2))
        if (!isNoise) block.set(noise.subarray(0, Math.max(0, block.length - start)), Math.min(start, block.length))
        try {
          for (const _ of readBlock(isNoise ? noise : block));
        } catch (error) {
          expect(error).toBeInstanceOf(TransactionError)
        }
      }),
    )
  })
})
