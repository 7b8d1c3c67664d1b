import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readChainContent } from '../../client-hook/chain-content.ts'
import type { Database } from '../../client-hook/database.ts'
import { type FetchAny, fetchFrom } from '../../client-hook/fetch-from.ts'
import { createSha256 } from '../../client-hook/sha256.ts'
import { concatBytes } from '../../protocol/bytes.ts'
import { writeOpReturn } from '../../protocol/op-return.ts'
import { encodeTransaction, transactionId } from '../../protocol/transaction.ts'
import { ReaderError } from '../../reader/reader-error.ts'

afterEach(() => vi.unstubAllGlobals())

/** A transaction with `data` in an OP_RETURN output, beside one that pays. */
function transaction(data: Uint8Array): Uint8Array<ArrayBuffer> {
  return encodeTransaction({
    version: 2,
    inputs: [{ txid: '11'.repeat(32), vout: 0, script: Uint8Array.of(0x51), sequence: 0xfffffffe, witness: [] }],
    outputs: [
      { value: 1000n, script: Uint8Array.of(0x51) },
      { value: 0n, script: writeOpReturn(data) },
    ],
    lockTime: 0,
  })
}

/** Reads the content of transactions from a server that answers `body`, with a database that keeps what it is given. */
async function read(txids: string[], body: Uint8Array<ArrayBuffer>, mode: 'blob' | 'chunk' = 'blob') {
  const kept = new Map<string, Uint8Array>()
  const database: Database = {
    persistent: true,
    get: async (keys) => keys.map((key) => kept.get(key)),
    put: async (records) => {
      for (const [key, bytes] of records) kept.set(key, bytes)
    },
    delete: async () => {},
  }
  vi.stubGlobal('fetch', async () => new Response(body))
  const sha256 = createSha256(() => Promise.reject(new Error('Node has its own')))
  const fetchAny: FetchAny = (request) => fetchFrom('https://api.example', request)
  const source = { fetchAny, database, sha256 }
  const request = { blockchain: 'Bitcoin', sources: txids, mode, reload: false, onProgress: () => {} } as const
  const outcome = await readChainContent(source, request).catch((error: unknown) => error)
  return { outcome, kept: [...kept.values()] }
}

const contents = fc.array(fc.uint8Array({ minLength: 1, maxLength: 90 }), { minLength: 1, maxLength: 5 })

describe('content read from a chain', () => {
  it('is what its transactions hold, in their order, whatever that is', async () => {
    await fc.assert(
      fc.asyncProperty(contents, async (parts) => {
        const transactions = parts.map(transaction)
        const { outcome } = await read(transactions.map(transactionId), concatBytes([...new Set(transactions)]))
        // Two transactions with the same data are one, asked for once.
        const distinct = new Set(transactions.map(transactionId)).size === transactions.length
        if (distinct) expect(outcome).toEqual(concatBytes(parts))
      }),
      { numRuns: 300 },
    )
  })

  it('is never anything else: an altered, cut or longer answer is an error, and nothing of it is kept', async () => {
    const change = fc.oneof(
      fc.record({ at: fc.nat(), bit: fc.integer({ min: 0, max: 7 }) }),
      fc.record({ cut: fc.nat() }),
      fc.record({ more: fc.uint8Array({ minLength: 1, maxLength: 200 }) }),
    )
    await fc.assert(
      fc.asyncProperty(contents, change, async (parts, how) => {
        const transactions = parts.map(transaction)
        const whole = concatBytes(transactions)
        let body = whole.slice()
        if ('at' in how) {
          const at = how.at % whole.length
          body[at] = (body[at] ?? 0) ^ (1 << how.bit)
        } else if ('cut' in how) body = whole.slice(0, how.cut % whole.length)
        else body = concatBytes([whole, how.more])
        const { outcome, kept } = await read([...new Set(transactions.map(transactionId))], body)
        expect(outcome).toBeInstanceOf(ReaderError)
        expect(kept).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })
})
