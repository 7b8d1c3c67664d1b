import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { foldList } from '../../../../worker/chain/rpc/fold-list.ts'
import { walletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'

const encoder = new TextEncoder()

/** Bytes in parts of these lengths, over and over. */
async function* inPartsOf(bytes: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, part = 0; at < bytes.length; part++) {
    const end = at + (lengths[part % lengths.length] ?? 1)
    yield bytes.slice(at, end)
    at = end
  }
}

async function fold(text: string, lengths: readonly number[] = [7]) {
  const taken: unknown[] = []
  const take = async (objects: unknown[]) => void taken.push(...objects)
  const rest = await foldList(inPartsOf(encoder.encode(text), lengths), { list: 'transactions', take }, JSON.parse)
  return { taken, rest: JSON.parse(rest) }
}

const anyObject = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))

describe('a list that is taken in as it comes', () => {
  it('has the objects that it has as a whole, wherever its parts end', async () => {
    const anyLengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(fc.array(anyObject), fc.array(anyObject), anyLengths, async (transactions, removed, lengths) => {
        const answer = [{ result: { transactions, removed, lastblock: 'a"]}' }, error: null, id: 0 }]
        for (const text of [JSON.stringify(answer), JSON.stringify(answer, undefined, 2)]) {
          const { taken, rest } = await fold(text, lengths)
          expect(taken).toEqual(JSON.parse(JSON.stringify(transactions)))
          expect(rest).toEqual([{ result: { transactions: [], removed: [], lastblock: 'a"]}' }, error: null, id: 0 }])
        }
      }),
      { numRuns: 100 },
    )
  })

  it('is not one beside it, nor a text of its name', async () => {
    const answer = [
      { result: { removed: [{ a: 1 }], note: 'transactions', transactions: [{ b: 2 }], later: [{ c: 3 }] } },
    ]
    expect((await fold(JSON.stringify(answer))).taken).toEqual([{ b: 2 }])
  })

  it('leaves an error as it is', async () => {
    const answer = [{ result: null, error: { code: -5, message: 'Block not found' }, id: 0 }]
    expect(await fold(JSON.stringify(answer))).toEqual({ taken: [], rest: answer })
  })

  it('is refused with an object that is too long, or with too much around it', async () => {
    const long = 'x'.repeat(70_000)
    const answer = (result: unknown) => JSON.stringify([{ result }])
    await expect(fold(answer({ transactions: [{ long }] }), [1_000])).rejects.toThrow(RangeError)
    await expect(fold(answer({ transactions: [], long }), [1_000])).rejects.toThrow(RangeError)
  })
})

describe('a node that is asked for a list', () => {
  afterEach(() => void vi.restoreAllMocks())
  const take = async () => undefined

  /** Asks a node that answers so, a byte being worth a byte of at most 1,000. */
  async function ask(body: string, taking: (objects: unknown[]) => Promise<void> = take) {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(body))
    const endpoint = { url: 'http://node.test/', authorization: undefined }
    const rpc = walletRpc({ rpc: [endpoint], wallet: undefined })
    if (!rpc) throw new Error('no node')
    const fold = { list: 'transactions', take: taking }
    return await rpc([{ method: 'listsinceblock', params: [] }], { maxBytes: 1_000, fold })
  }
  const answer = (transactions: unknown) => JSON.stringify([{ result: { transactions }, id: 0 }])

  it('gives each number as its text', async () => {
    const taken: unknown[] = []
    const outcome = await ask(
      '[{"result":{"transactions":[{"amount":90000000.00000001}]},"id":0}]',
      async (objects) => {
        taken.push(...objects)
      },
    )
    expect([taken, outcome]).toEqual([[{ amount: '90000000.00000001' }], [{ result: { transactions: [] } }]])
  })

  it('is not read past the limit', async () => {
    await expect(ask(answer([{ a: 'x'.repeat(500) }, { b: 'x'.repeat(500) }]))).rejects.toMatchObject({
      failure: 'too_large',
    })
  })

  it.each([
    ['is cut off', answer([{ a: 1 }]).slice(0, -5)],
    ['has something else in its list', '[{"result":{"transactions":[{"a":}]},"id":0}]'],
    ['is no JSON', '<h1>proxy</h1>'],
  ])('whose answer %s is not believed', async (_, body) => {
    await expect(ask(body)).rejects.toMatchObject({ failure: 'invalid_response' })
  })

  it('is not to blame where what came could not be taken', async () => {
    const failing = async () => {
      throw new Error('D1 is down')
    }
    await expect(ask(answer([{ a: 1 }]), failing)).rejects.toThrow('D1 is down')
  })
})
