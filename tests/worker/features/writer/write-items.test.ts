import { env } from 'cloudflare:test'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { PRESENT_NODES } from '../../../../devnet/node-settings.ts'
import { BLOCKCHAINS, type Blockchain, CHAINS } from '../../../../protocol/chains.ts'
import { runStep } from '../../../../worker/agent/run-step.ts'
import { contextOf } from '../../agent-contexts.ts'
import { fetchApi } from '../../fetch-api.ts'
import { add, firstRow, read, runSql } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { noise } from '../items/api.ts'
import { askPayment, mergedItem, newUser, paidItem, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

/** Mines until the item is stored, and says how many blocks that took. */
async function writeOut(api: Parameters<typeof showItem>[0], id: string, blockchain: Blockchain, most = 100) {
  for (let blocks = 0; blocks < most; blocks++) {
    const item = await showItem(api, id)
    if (item.status === '200 OK') return { blocks, item }
    if (item.status === '409 Conflict') throw new Error(String(item.message))
    await chain.confirm(blockchain)
  }
  throw new Error(`not stored after ${most} blocks: ${JSON.stringify(await showItem(api, id))}`)
}

async function readBack(blockchain: Blockchain, txids: unknown): Promise<Uint8Array> {
  const response = await fetchApi('POST', '/v0/blob', { body: { blockchain, txids } })
  expect(response.status).toBe(200)
  return Uint8Array.from(brotliDecompressSync(Buffer.from(await response.text(), 'hex')))
}

describe('writing', () => {
  it.each(BLOCKCHAINS)('puts a paid item on %s, and whoever asks reads the same bytes', async (blockchain) => {
    const { api } = await newUser()
    const content = noise(3000)
    const id = await paidItem(chain, api, blockchain, content)
    const { item, blocks } = await writeOut(api, id, blockchain)
    const transactions = Math.ceil(Number(item.storedSize) / CHAINS[blockchain].maxDataBytes)
    expect(item).toMatchObject({ transactions, written: transactions, confirmed: transactions })
    expect(blocks).toBeLessThanOrEqual(Math.ceil(transactions / (24 * 8)) + CHAINS[blockchain].confirmations + 2)
    expect(await readBack(blockchain, item.txids)).toEqual(content)
    const results = await runSql<{ count: number; span: number }>(
      'SELECT COUNT(*) AS count, MAX(seq) - MIN(seq) AS span FROM transactions WHERE blockchain = ? GROUP BY tx_chain',
      blockchain,
    )
    const write = await firstRow('SELECT next_index, transactions FROM writes WHERE item_id = ?', id)
    expect(write).toEqual({ next_index: transactions, transactions })
    // Each goes on where the one before it in its tx chain ended.
    expect(results.map(({ count, span }) => count - span)).toEqual(results.map(() => 1))
    const mempool = chain.call(blockchain, 'getmempoolinfo')
    expect(mempool).toMatchObject({ size: 0 })
  })

  it('fills a tx chain, asks for one address of the wallet with it, and leaves the wallet alone while all tx chains are full', async () => {
    const { api } = await newUser()
    const asked = vi.spyOn(chain.devnet, 'handle')
    const count = (method: string) => asked.mock.calls.filter(([, call]) => call.includes(`"${method}"`)).length
    // 25 transactions of at most 80 bytes.
    const id = await paidItem(chain, api, 'Bitcoin', noise(1_950))
    expect(await showItem(api, id)).toMatchObject({ transactions: 25, written: 24 })
    expect(count('getrawchangeaddress')).toBe(1)
    asked.mockClear()
    const context = contextOf()
    const { next } = await runStep({
      ...context,
      numbers: chain.numbersOf('Bitcoin'),
      config: { ...context.config, maxTxChains: 1 },
      now: Date.now(),
    })
    expect([next, count('listunspent')]).toEqual(['soon', 0])
    asked.mockRestore()
    await writeOut(api, id, 'Bitcoin')
  })

  it('tidies up behind twenty items at a step', async () => {
    const items = Array.from({ length: 21 }, (_, index) => `ended-${index}`)
    await add('users', { id: 'ada' })
    await add('payment_requests', { id: 'request', state: 'settled' })
    await add('items', ...items.map((id) => ({ id, status: 200 })))
    await add('writes', ...items.map((item_id) => ({ item_id, state: 'published' })))
    const done = async () => {
      await chain.work('Bitcoin')
      const states = await read('writes', 'item_id', 'state')
      return items.filter((id) => states[id] === 'done').length
    }
    expect([await done(), await done()]).toEqual([20, 21])
  })

  it('publishes nothing before every transaction is confirmed', async () => {
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Dogecoin', noise(500))
    for (let depth = 0; depth < 6; depth++) {
      const item = await showItem(api, id)
      expect(item).toMatchObject({ status: '202 Accepted', transactions: 7, written: 7, confirmed: 0 })
      expect(item).not.toHaveProperty('txids')
      await chain.confirm('Dogecoin')
    }
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK', confirmed: 7 })
  })

  it('keeps the content for readers, so that the first of them asks no node', async () => {
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Nativecoin')
    const { item } = await writeOut(api, id, 'Nativecoin')
    expect(await read('writes', 'item_id', 'state')).toMatchObject({ [id]: 'done' })
    chain.breakNodes(true)
    const answer = await fetchApi('GET', `/v0/content/${id}`)
    chain.breakNodes(false)
    expect(answer.status).toBe(200)
    expect(new Uint8Array(await answer.arrayBuffer())).toHaveLength(Number(item.size))
  })

  it('deletes signed bytes once no reorganisation reaches them', async () => {
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Nativecoin')
    await writeOut(api, id, 'Nativecoin')
    const kept = async () => (await env.BUCKET.list({ prefix: 'writer/Nativecoin/' })).objects.length
    await chain.work('Nativecoin')
    expect(await kept()).toBeGreaterThan(0)
    await chain.confirm('Nativecoin', 300)
    expect(await kept()).toBe(0)
  })

  it('adds one transaction that pays for all to each tx chain that blocks pass by', async () => {
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Bitcoin', noise(300))
    const waiting = () => chain.devnet.node('Bitcoin').mempool.entries.size
    const before = waiting()
    await chain.passBy('Bitcoin', 6)
    const own = await firstRow<{ tx_chains: number }>(
      'SELECT COUNT(DISTINCT tx_chain) AS tx_chains FROM transactions WHERE item_id = ?',
      id,
    )
    expect(waiting()).toBe(before + (own?.tx_chains ?? 0))
    await writeOut(api, id, 'Bitcoin')
    const child = await firstRow('SELECT state, vsize, fee FROM transactions WHERE item_id IS NULL')
    expect(child).toMatchObject({ state: 'mined' })
    // Its own rate is far above what the others pay.
    expect(Number(child?.fee) / Number(child?.vsize)).toBeGreaterThan(10)
  })

  it('asks the node once for each block about what waits for one', async () => {
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Bitcoin')
    const [own] = await runSql('SELECT txid FROM transactions WHERE item_id = ?', id)
    const asked = vi.spyOn(chain.devnet, 'handle')
    const looks = async () => {
      asked.mockClear()
      await chain.work('Bitcoin')
      const isLook = (call: string) => call.includes('getmempoolentry') && call.includes(String(own?.txid))
      return asked.mock.calls.filter(([, call]) => isLook(call)).length
    }
    chain.devnet.node('Bitcoin').mine(Uint8Array.of(0x51), { empty: true })
    expect([await looks(), await looks()]).toEqual([1, 0])
    chain.devnet.node('Bitcoin').mine(Uint8Array.of(0x51), { empty: true })
    expect([await looks(), await looks()]).toEqual([1, 0])
    asked.mockRestore()
    await writeOut(api, id, 'Bitcoin')
  })

  it('sends a whole tx chain of 63 again, under the same txids, that a deep reorganisation took away and the mempool lost', async () => {
    const node = chain.devnet.node('Bitcoin')
    node.reconfigure(PRESENT_NODES.Bitcoin)
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Bitcoin', noise(5_000))
    const first = Number(chain.call('Bitcoin', 'getblockcount')) + 1
    const { item } = await writeOut(api, id, 'Bitcoin')
    const results = await runSql('SELECT COUNT(*) AS length FROM transactions WHERE item_id = ? GROUP BY tx_chain', id)
    expect(results).toEqual([{ length: 63 }])
    await chain.confirm('Bitcoin', 10)
    const depth = Number(chain.call('Bitcoin', 'getblockcount')) - first + 1

    chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getblockhash', [first])])
    node.evict([...node.mempool.entries.keys()])
    for (let block = 0; block <= depth; block++) node.mine(Uint8Array.of(0x51), { empty: true })
    await chain.work('Bitcoin')
    expect(Object(item.txids).every((txid: string) => node.mempool.entries.has(txid))).toBe(true)
    await chain.confirm('Bitcoin', CHAINS.Bitcoin.confirmations)
    const states = env.DB.prepare('SELECT state, COUNT(*) AS count FROM transactions WHERE item_id = ? GROUP BY state')
    expect((await states.bind(id).all()).results).toEqual([{ state: 'mined', count: 63 }])
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK', txids: item.txids })
  })

  it('makes a paid IPFS item readable under its CID, and not before', async () => {
    const { api } = await newUser()
    const content = noise(5000)
    const id = await mergedItem(api, 'IPFS', content)
    const { cid } = await showItem(api, id)
    const { address, amount } = await askPayment(api, [id], 'IPFS')
    expect((await fetchApi('GET', `/ipfs/${cid}`)).status).not.toBe(200)
    chain.pay('Nativecoin', address, amount)
    await chain.confirm('Nativecoin', 3)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK', cid })
    const read = await fetchApi('GET', `/ipfs/${cid}`)
    expect(new Uint8Array(await read.arrayBuffer())).toEqual(content)
  })
})
