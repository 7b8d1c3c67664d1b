import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { fromHex } from '../../../../../protocol/bytes.ts'
import type { Blockchain } from '../../../../../protocol/chains.ts'
import { readStripped } from '../../../../../protocol/transaction.ts'
import { workOf } from '../../../../../reader/proof/chain-work.ts'
import { verifyProof } from '../../../../../reader/proof/verify-proof.ts'
import { parseDeniedValue } from '../../../../../worker/content/denylist/denied-value.ts'
import { expireDenylist } from '../../../../../worker/content/denylist/denylist.ts'
import { insertDenied } from '../../../../../worker/features/reports/sql/deny.ts'
import { get } from '../../../content/chain/retrieval/ask.ts'
import { useDevnet } from '../../../use-devnet.ts'

const chain = useDevnet()

/** Above it lies what the tests mine; its root matches nothing. */
const PINNED = { height: 0, root: '00'.repeat(32), bits: 0x207fffff, time: 1_700_000_000 }

interface Answer {
  blocks: { height: number; hash: string; transactions: { txid: string; position: number }[]; following: string[] }[]
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

async function ask(blockchain: Blockchain, txids: readonly string[], query = '') {
  const response = await get(`/v0/proof/${blockchain}/${txids.join(',')}${query}`)
  if (response.status !== 200) throw new Error(await response.text())
  return await response.json<Answer>()
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
      return blocks[0]?.following.length
    })
    expect(await Promise.all(counts)).toEqual([3, 0, 2, 3])
  })

  it('may be cached for a minute', async () => {
    const response = await get(`/v0/proof/Bitcoin/${minedIn('Bitcoin')}`)
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=60')
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

  it('is 502 naming a block whose transactions the node has deleted', async () => {
    const txid = minedIn('Dogecoin')
    const hash = chain.call('Dogecoin', 'getbestblockhash')
    const { handle } = chain.devnet
    vi.spyOn(chain.devnet, 'handle').mockImplementation((name, body, wallet) => {
      const calls: { id: number; method: string }[] = JSON.parse(body)
      const refused = calls.filter(({ method }) => method === 'getblock').map(({ id }) => id)
      const answer = handle(name, body, wallet)
      const error = { code: -1, message: 'Block not available (pruned data)' }
      const outcomes: { id: number }[] = JSON.parse(answer.body)
      const changed = outcomes.map((outcome) => (refused.includes(outcome.id) ? { id: outcome.id, error } : outcome))
      return { ...answer, body: JSON.stringify(changed) }
    })
    onTestFinished(() => void vi.mocked(chain.devnet.handle).mockRestore())
    const { status, message } = await refusal(`/v0/proof/Dogecoin/${txid}`)
    expect([status, message]).toEqual([502, expect.stringContaining(String(hash))])
  })

  it('is 503 for transactions of more than 32 blocks', async () => {
    const txids = Array.from({ length: 33 }, () => {
      const txid = pay('Nativecoin')
      chain.mine('Nativecoin')
      return txid
    })
    const response = await get(`/v0/proof/Nativecoin/${txids.join(',')}`)
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5'])
    expect((await ask('Nativecoin', txids.slice(1), '?depth=1')).blocks).toHaveLength(32)
  })

  it('is 451 for a denied transaction', async () => {
    const txid = minedIn('Bitcoin')
    await insertDenied(env.DB, { ...parseDeniedValue('txid', txid), reason: 'test', deniedBy: 'moderator' }, Date.now())
    expireDenylist()
    const { status, code } = await refusal(`/v0/proof/Bitcoin/${minedIn('Bitcoin')},${txid}`)
    expect([status, code]).toEqual([451, 'denied'])
  })
})
