import { createHash, randomBytes } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { merkleRoot } from '../../../../worker/chain/rpc/block-header.ts'
import { readBlocks } from '../../../../worker/chain/rpc/block-methods.ts'
import { listReceipts } from '../../../../worker/chain/rpc/transaction-methods.ts'
import { walletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

/** A block of so many txids, as a node tells it. */
function makeBlock(count: number) {
  const txids = Array.from({ length: count }, () => randomBytes(32).toString('hex'))
  const root = Buffer.from(merkleRoot(txids), 'hex').reverse()
  const header = Buffer.concat([randomBytes(36), root, randomBytes(12)])
  return { hash: sha256(sha256(header)).reverse().toString('hex'), header: header.toString('hex'), txids }
}

function openRpc() {
  const rpc = walletRpc({
    rpc: [{ url: 'http://node.test/', authorization: undefined }],
    wallet: undefined,
  })
  if (!rpc) throw new Error('no node')
  return rpc
}

afterEach(() => void vi.restoreAllMocks())

describe('what a node answers', () => {
  it('has four blocks in memory at the most, however many are asked for, and the wanted txids of each', async () => {
    const blocks = new Map(Array.from({ length: 30 }, () => makeBlock(50)).map((block) => [block.hash, block]))
    const asked: number[] = []
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      const calls: { id: number; method: string; params: string[] }[] = JSON.parse(String(init?.body))
      asked.push(new Set(calls.map(({ params }) => params[0])).size)
      const results = calls.map(({ id, method, params: [hash = ''] }) => {
        const block = blocks.get(hash)
        return { id, result: method === 'getblockheader' ? block?.header : { tx: block?.txids } }
      })
      return Response.json(results)
    })
    const wanted = [...blocks.values()].map(({ txids }) => txids[7] ?? '')
    const found = await readBlocks(openRpc(), [...blocks.keys()], new Set(wanted))
    expect(found.map(({ hash, txids }) => [hash, ...txids])).toEqual(
      [...blocks.keys()].map((hash, index) => [hash, wanted[index]]),
    )
    expect(Math.max(...asked)).toBe(4)
  })

  it('is taken in as it comes, where it is the history of a wallet', async () => {
    const entries = 20_000
    const partEntries = 100
    let sent = 0
    const entry = (index: number) =>
      JSON.stringify({ category: 'receive', address: `a${index}`, amount: 1, confirmations: 9 })
    async function* history() {
      yield '[{"id":0,"result":{"transactions":['
      for (; sent < entries; sent += partEntries) {
        const part = Array.from({ length: partEntries }, (_, index) => entry(sent + index))
        yield `${sent > 0 ? ',' : ''}${part.join()}`
      }
      yield '],"removed":[],"lastblock":"00"}}]'
    }
    const parts = history()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value = '' } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(new TextEncoder().encode(value))
      },
    })
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(body))
    let taken = 0
    let mostHeld = 0
    await listReceipts(openRpc(), async (receipts) => {
      mostHeld = Math.max(mostHeld, sent - taken)
      taken += receipts.length
    })
    expect(taken).toBe(entries)
    // Two thousand are handed over together, and a few parts of the answer lie between the node and who reads.
    expect(mostHeld).toBeLessThan(3_000)
  })
})
