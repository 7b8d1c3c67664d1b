import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { concatBytes, fromHex } from '../../../../../protocol/bytes.ts'
import type { Blockchain } from '../../../../../protocol/chains.ts'
import { readStripped, reverseHex, txidBytes } from '../../../../../protocol/transaction.ts'
import { workOf } from '../../../../../reader/proof/chain-work.ts'
import { sha256d } from '../../../../../reader/proof/fold-branch.ts'
import { treeLevels } from '../../../../../reader/proof/merkle-tree.ts'
import { rootOf, upperTiles } from '../../../../../reader/proof/tiles.ts'
import { verifyProof } from '../../../../../reader/proof/verify-proof.ts'
import { parseDeniedValue } from '../../../../../worker/content/denylist/denied-value.ts'
import { expireDenylist } from '../../../../../worker/content/denylist/denylist.ts'
import { insertDenied } from '../../../../../worker/features/reports/sql/deny.ts'
import { memoryOf } from '../../../../../worker/platform/flow/memory-budget.ts'
import { clearResponseCache } from '../../../../../worker/platform/http/response-cache.ts'
import { get } from '../../../content/chain/retrieval/ask.ts'
import { useDevnet } from '../../../use-devnet.ts'

const chain = useDevnet()

/** Above it lies what the tests mine; its root matches nothing. */
const PINNED = { height: 0, root: '00'.repeat(32), bits: 0x207fffff, time: 1_700_000_000 }

interface Outcome {
  result?: object | string
}

interface Answer {
  blocks: {
    height: number
    hash: string
    header: string
    transactions: { txid: string; position: number }[]
    checkpoint?: { height: number; branch: string[] }
    following?: string[]
  }[]
}

const pay = (blockchain: Blockchain) => chain.pay(blockchain, chain.call(blockchain, 'getnewaddress'), '1')

/** The last of three transactions of one block, which has so many after it. */
function minedIn(blockchain: Blockchain, after = 0): string {
  const [, , txid = ''] = [pay(blockchain), pay(blockchain), pay(blockchain)]
  chain.mine(blockchain, 1 + after)
  return txid
}

function bytesOf(blockchain: Blockchain, txids: readonly string[]): Map<string, Uint8Array> {
  const raw = (txid: string) => fromHex(String(chain.call(blockchain, 'getrawtransaction', [txid]))) ?? new Uint8Array()
  return new Map(txids.map((txid) => [txid, readStripped(raw(txid)).bytes]))
}

/** The hashes of all blocks up to a height, in the order in which they are hashed. */
function hashesTo(blockchain: Blockchain, height: number): Uint8Array[] {
  const at = (_: unknown, index: number) => txidBytes(String(chain.call(blockchain, 'getblockhash', [index])))
  return Array.from({ length: height + 1 }, at)
}

/** A transaction at or below the height of a checkpoint whose tiles are stored, and one above it. */
async function pin(blockchain: Blockchain): Promise<{ below: string; above: string; height: number }> {
  const below = minedIn(blockchain)
  const count = Number(chain.call(blockchain, 'getblockcount'))
  const height = Math.ceil((count + 1) / 256) * 256 - 1
  if (height > count) chain.mine(blockchain, height - count)
  const hashes = hashesTo(blockchain, height)
  const tiles = Array.from({ length: hashes.length / 256 }, (_, at) => hashes.slice(256 * at, 256 * at + 256))
  const upper = upperTiles(tiles.map((tile) => rootOf(tile, sha256d)))
  const lower = tiles.map((tile, index) => ({ rank: 0, index, bytes: concatBytes(tile) }))
  for (const { rank, index, bytes } of [...lower, ...upper]) {
    await env.BUCKET.put(`proof/${blockchain}/${rank}/${index}`, bytes)
  }
  return { below, above: minedIn(blockchain, 9), height }
}

async function ask(blockchain: Blockchain, txids: readonly string[], query = '') {
  const response = await get(`/v0/proof/${blockchain}/${txids.join(',')}${query}`)
  if (response.status !== 200) throw new Error(await response.text())
  return await response.json<Answer>()
}

/** A transaction in a merge-mined block, which has four such and another one after it, and its proof. */
async function mergeMined(): Promise<{ txid: string; proof: Answer }> {
  chain.call('Dogecoin', 'devmergemine', [true])
  const txid = minedIn('Dogecoin', 4)
  chain.call('Dogecoin', 'devmergemine', [false])
  chain.mine('Dogecoin', 1)
  return { txid, proof: await ask('Dogecoin', [txid]) }
}

/** Hex with another digit at an index. */
function flip(hex: string, index: number): string {
  return hex.slice(0, index) + (hex[index] === '0' ? '1' : '0') + hex.slice(index + 1)
}

/** Changes what the node answers to a method, until the test ends. */
function answerWith(method: string, change: (outcome: Outcome) => object): void {
  const { handle } = chain.devnet
  vi.spyOn(chain.devnet, 'handle').mockImplementation((name, body, wallet) => {
    const calls: { id: number; method: string }[] = JSON.parse(body)
    const changed = calls.filter((call) => call.method === method).map(({ id }) => id)
    const answer = handle(name, body, wallet)
    const outcomes: (Outcome & { id: number })[] = JSON.parse(answer.body)
    const all = outcomes.map((one) => (changed.includes(one.id) ? { id: one.id, ...change(one) } : one))
    return { ...answer, body: JSON.stringify(all) }
  })
  onTestFinished(() => void vi.mocked(chain.devnet.handle).mockRestore())
}

async function refusal(path: string) {
  const response = await get(path)
  const { code, message } = await response.json<{ code: string; message: string }>()
  return { status: response.status, code, message, cache: response.headers.get('Cache-Control') }
}

describe('GET /v0/proof', () => {
  it.each(['Bitcoin', 'Dogecoin'] as const)('proves work for a transaction on %s', async (blockchain) => {
    const txid = minedIn(blockchain, 9)
    const proof = await ask(blockchain, [txid])
    const rules = { work: workOf(blockchain), checkpoint: PINNED, now: Math.ceil(Date.now() / 1000) }
    const proven = verifyProof(proof, bytesOf(blockchain, [txid]), rules)
    expect(proven.get(txid)).toMatchObject({ state: 'worked', depth: 6 })
  })

  it('proves work for a transaction in merge-mined blocks, and nothing with another AuxPoW', async () => {
    const { txid, proof } = await mergeMined()
    const [block] = proof.blocks
    const headers = [block?.header ?? '', ...(block?.following ?? [])]
    expect(headers.map((header) => header.length > 160)).toEqual([true, true, true, true, true, false])
    const rules = { work: workOf('Dogecoin'), checkpoint: PINNED, now: Math.ceil(Date.now() / 1000) }
    const transactions = bytesOf('Dogecoin', [txid])
    const proven = verifyProof(proof, transactions, rules)
    expect(proven.get(txid)).toMatchObject({ state: 'worked', depth: 6 })
    // A digit of the root that the parent's coinbase names, and one of the nonce behind it; and no AuxPoW at all.
    const magic = block?.header.indexOf('fabe6d6d') ?? -1
    const changes = [(header: string) => flip(header, magic + 10), (header: string) => flip(header, magic + 80)]
    for (const change of [...changes, (header: string) => header.slice(0, 160)]) {
      const altered = [
        { ...block, header: change(headers[0] ?? '') },
        { ...block, following: headers.slice(1).map((header, at) => (at === 2 ? change(header) : header)) },
      ]
      for (const one of altered) expect(() => verifyProof({ blocks: [one] }, transactions, rules)).toThrow('AuxPoW')
    }
  })

  it('is 502 where the AuxPoW of a node proves nothing', async () => {
    const { txid } = await mergeMined()
    answerWith('getblockheader', (outcome) => {
      const { result } = outcome
      return typeof result === 'string' ? { result: result.slice(0, 160) } : outcome
    })
    const { status, code, message } = await refusal(`/v0/proof/Dogecoin/${txid}`)
    expect([status, code]).toEqual([502, 'node_bad_answer'])
    expect(message).toContain('AuxPoW')
  })

  it('has one block for transactions of one block, and the txids as displayed', async () => {
    const [first, other] = [minedIn('Nativecoin'), minedIn('Nativecoin')]
    const { blocks } = await ask('Nativecoin', [other, first, other.toUpperCase()])
    const height = Number(chain.call('Nativecoin', 'getblockcount'))
    expect(blocks.map((block) => [block.height, block.transactions.map(({ txid }) => txid)])).toEqual([
      [height, [other]],
      [height - 1, [first]],
    ])
    expect(blocks[0]?.hash).toBe(chain.call('Nativecoin', 'getblockhash', [height]))
  })

  it('has as many headers as depth asks for and the chain has', async () => {
    const txid = minedIn('Bitcoin', 3)
    const counts = ['', '?depth=1', '?depth=3', '?depth=12'].map(async (query) => {
      const { blocks } = await ask('Bitcoin', [txid], query)
      return blocks[0]?.following?.length
    })
    expect(await Promise.all(counts)).toEqual([3, 0, 2, 3])
  })

  it('may be cached for a minute', async () => {
    const response = await get(`/v0/proof/Bitcoin/${minedIn('Bitcoin')}`)
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=60')
  })

  it('has branches to the checkpoint that is asked for, of blocks up to it, and is then final', async () => {
    const { below, above, height } = await pin('Bitcoin')
    const txids = [below, above]
    const response = await get(`/v0/proof/Bitcoin/${txids.join(',')}?checkpoint=${height}`)
    const { blocks } = await response.clone().json<Answer>()
    expect(blocks.map(({ checkpoint, following }) => [checkpoint?.branch.length, following?.length])).toEqual([
      [Math.ceil(Math.log2(height + 1)), undefined],
      [undefined, 5],
    ])
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=60')
    const root = treeLevels(hashesTo('Bitcoin', height)).at(-1)?.[0] ?? new Uint8Array()
    const checkpoint = { ...PINNED, height, root: reverseHex(root) }
    const rules = { work: workOf('Bitcoin'), checkpoint, now: Math.ceil(Date.now() / 1000) }
    const proven = verifyProof(await response.json(), bytesOf('Bitcoin', txids), rules)
    expect([...proven.values()].map(({ state }) => state)).toEqual(['buried', 'worked'])

    const final = `/v0/proof/Bitcoin/${below}?checkpoint=${height}`
    const [once, again] = [await get(final), await get(final)]
    expect(once.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    expect(again.headers.get('ETag')).toBe(once.headers.get('ETag'))
    expect(await again.text()).toBe(await once.text())
  })

  it('has the same headers in each 304, also where the first request was conditional', async () => {
    const { below, height } = await pin('Bitcoin')
    const final = `/v0/proof/Bitcoin/${below}?checkpoint=${height}`
    const etag = (await get(final)).headers.get('ETag') ?? ''
    clearResponseCache()
    const conditional = () => get(final, { headers: { 'If-None-Match': etag } })
    const [first, again] = [await conditional(), await conditional()]
    expect([first.status, again.status]).toEqual([304, 304])
    expect([...again.headers]).toEqual([...first.headers])
    expect(again.headers.get('Access-Control-Allow-Origin')).toBe('*')
  })

  it('has the header alone of a block of merged mining below a checkpoint', async () => {
    chain.call('Dogecoin', 'devmergemine', [true])
    const { below, height } = await pin('Dogecoin')
    chain.call('Dogecoin', 'devmergemine', [false])
    const full = chain.call('Dogecoin', 'getblockheader', [chain.call('Dogecoin', 'getblockhash', [height]), false])
    expect(String(full).length).toBeGreaterThan(160)
    const { blocks } = await ask('Dogecoin', [below], `?checkpoint=${height}`)
    expect(blocks[0]?.header).toHaveLength(160)
  })

  it('is 404 for a checkpoint whose tiles are not stored, and 400 for a height that none has', async () => {
    const { below, height } = await pin('Nativecoin')
    expect(await refusal(`/v0/proof/Nativecoin/${below}?checkpoint=${height + 256}`)).toMatchObject({
      status: 404,
      code: 'no_such_checkpoint',
      message: `The checkpoint of Nativecoin at ${height + 256} is not known: none is.`,
    })
    expect(await refusal(`/v0/proof/Nativecoin/${below}?checkpoint=512`)).toMatchObject({ status: 400 })
  })

  it('is 502 where the chain of the checkpoint has another block there', async () => {
    const { below, height } = await pin('Nativecoin')
    await env.BUCKET.put(`proof/Nativecoin/0/${(height - 255) / 256}`, new Uint8Array(32 * 256))
    const { status, message } = await refusal(`/v0/proof/Nativecoin/${below}?checkpoint=${height}`)
    expect([status, message]).toEqual([502, expect.stringContaining(`checkpoint at ${height}`)])
  })

  it('is 404, not stored, for a transaction that is unknown or waits to be mined', async () => {
    for (const txid of ['0'.repeat(64), pay('Bitcoin')]) {
      const { message, ...rest } = await refusal(`/v0/proof/Bitcoin/${txid}`)
      expect(rest).toEqual({ status: 404, code: 'not_found', cache: 'no-store' })
      expect(message).toContain(txid)
    }
  })

  it.each([
    [`/v0/proof/bitcoin/${'0'.repeat(64)}`, 'blockchain'],
    [`/v0/proof/IPFS/${'0'.repeat(64)}`, 'IPFS'],
    [`/v0/proof/Bitcoin/${Array.from({ length: 101 }, () => '0'.repeat(64)).join(',')}`, '1 to 100'],
    [`/v0/proof/Bitcoin/${'0'.repeat(63)}`, '64 hex digits'],
    [`/v0/proof/Bitcoin/${'0'.repeat(64)}?depth=13`, '1 to 12'],
    [`/v0/proof/Bitcoin/${'0'.repeat(64)}?depth=0`, '1 to 12'],
  ])('is 400 for %s', async (path, part) => {
    const { status, message } = await refusal(path)
    expect([status, message]).toEqual([400, expect.stringContaining(part)])
  })

  it('is 502 where the best chain changes between two calls, so that the headers are not linked', async () => {
    const txid = minedIn('Bitcoin', 2)
    const height = Number(chain.call('Bitcoin', 'getblockcount'))
    chain.before('getblockhash', () => {
      chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getblockhash', [height - 2])])
      chain.devnet.node('Bitcoin').mine(Uint8Array.of(0x51), { empty: true })
      chain.devnet.node('Bitcoin').mine(Uint8Array.of(0x52), { empty: true })
    })
    const { status, code, message } = await refusal(`/v0/proof/Bitcoin/${txid}`)
    expect([status, code]).toEqual([502, 'node_bad_answer'])
    expect(message).toContain('does not follow')
  })

  it.each([0, -1])(
    'is 404 where the node says %i confirmations of a transaction beside its block',
    async (confirmations) => {
      const txid = minedIn('Bitcoin')
      answerWith('getrawtransaction', ({ result }) => ({ result: Object.assign({}, result, { confirmations }) }))
      const { status, code, message } = await refusal(`/v0/proof/Bitcoin/${txid}`)
      expect([status, code]).toEqual([404, 'not_found'])
      expect(message).toContain(txid)
    },
  )

  it('is 404 where another block took the place of that of the transaction between two calls', async () => {
    const txid = minedIn('Bitcoin')
    chain.before('getblockheader', () => {
      chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getbestblockhash')])
      chain.devnet.node('Bitcoin').mine(Uint8Array.of(0x51), { empty: true })
    })
    const { status, code, cache } = await refusal(`/v0/proof/Bitcoin/${txid}`)
    expect([status, code, cache]).toEqual([404, 'not_found', 'no-store'])
  })

  it('is 502 naming a block whose transactions the node has deleted', async () => {
    const txid = minedIn('Dogecoin')
    const hash = chain.call('Dogecoin', 'getbestblockhash')
    answerWith('getblock', () => ({ error: { code: -1, message: 'Block not available (pruned data)' } }))
    const { status, message } = await refusal(`/v0/proof/Dogecoin/${txid}`)
    expect([status, message]).toEqual([502, expect.stringContaining(String(hash))])
  })

  it('is 503 for transactions of more than 32 blocks whose lists of txids are not kept yet', async () => {
    const txids = Array.from({ length: 33 }, () => {
      const txid = pay('Nativecoin')
      chain.mine('Nativecoin')
      return txid
    })
    const response = await get(`/v0/proof/Nativecoin/${txids.join(',')}`)
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5'])
    expect((await ask('Nativecoin', txids.slice(1), '?depth=1')).blocks).toHaveLength(32)
    expect((await ask('Nativecoin', txids, '?depth=1')).blocks).toHaveLength(33)
  })

  it('asks the node in four batches one after the other for work, and in two for a block of the checkpoint', async () => {
    const { below, above, height } = await pin('Bitcoin')
    const batchesFor = async (txid: string) => {
      const handled = vi.spyOn(chain.devnet, 'handle')
      await ask('Bitcoin', [txid], `?checkpoint=${height}`)
      const { length } = handled.mock.calls
      handled.mockRestore()
      return length
    }
    expect([await batchesFor(above), await batchesFor(below)]).toEqual([4, 2])
  })

  it('asks the node for the txids of a block once, and in which block a transaction is each time', async () => {
    const txid = minedIn('Nativecoin')
    const first = await ask('Nativecoin', [txid], '?depth=1')
    const asked: string[] = []
    for (const method of ['getblock', 'getrawtransaction']) chain.before(method, () => asked.push(method))
    expect(await ask('Nativecoin', [txid], '?depth=1')).toEqual(first)
    expect(asked).toEqual(['getrawtransaction'])
  })

  it('waits for memory that other requests have before the node is asked', async () => {
    const txid = minedIn('Bitcoin')
    const held = await memoryOf(undefined)('gather', 48 << 20)
    const order: string[] = []
    vi.spyOn(scheduler, 'wait').mockImplementationOnce(async () => {
      order.push('released')
      held.release()
    })
    onTestFinished(() => void vi.mocked(scheduler.wait).mockRestore())
    chain.before('getrawtransaction', () => order.push('asked'))
    expect((await ask('Bitcoin', [txid])).blocks).toHaveLength(1)
    expect(order).toEqual(['released', 'asked'])
  })

  it('is 451 for a denied transaction', async () => {
    const txid = minedIn('Bitcoin')
    await insertDenied(env.DB, { ...parseDeniedValue('txid', txid), reason: 'test', deniedBy: 'moderator' }, Date.now())
    expireDenylist()
    const { status, code } = await refusal(`/v0/proof/Bitcoin/${minedIn('Bitcoin')},${txid}`)
    expect([status, code]).toEqual([451, 'denied'])
  })
})
