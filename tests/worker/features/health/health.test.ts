import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { BLOCKCHAINS } from '../../../../protocol/chains.ts'
import { checkHealth, isOldCheckpoint } from '../../../../worker/features/health/check-health.ts'
import { faultyEnv } from '../../faulty-env.ts'
import { fetchApi } from '../../fetch-api.ts'
import { add, clear } from '../../rows.ts'
import { serviceWith } from '../../service-with.ts'
import { useDevnet } from '../../use-devnet.ts'
import { askPayment, mergedItem, newUser } from '../payments/pay-for-items.ts'

const chain = useDevnet()

// What is down is told to the log, and why.
beforeEach(() => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  return () => log.mockRestore()
})

it('says that a checkpoint is old 90 days after its time', () => {
  const days = (count: number) => count * 86_400
  expect([days(90), days(90) + 1].map((time) => isOldCheckpoint(0, time * 1000))).toEqual([false, true])
})

describe('GET /v0/health', () => {
  it('tells its version and the height of every chain, and keeps its answer a while', async () => {
    const first = await fetchApi('GET', '/v0/health')
    expect(first.status).toBe(200)
    expect(first.headers.get('X-Content-Type-Options')).toBe('nosniff')
    const chains = Object.fromEntries(
      BLOCKCHAINS.map((blockchain) => [blockchain, { height: chain.call(blockchain, 'getblockcount'), setAside: 0 }]),
    )
    expect(await first.json()).toEqual({ version: '1.0.0', status: 'ok', chains, storage: 'ok' })
    chain.mine('Bitcoin')
    chain.breakNodes(true)
    expect(await (await fetchApi('GET', '/v0/health')).json()).toMatchObject({ chains })
    chain.breakNodes(false)
  })

  it('names the chains that are down, but not why', async () => {
    chain.breakNodes(true)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 6_000)
    const response = await fetchApi('GET', '/v0/health')
    clock.mockRestore()
    chain.breakNodes(false)
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).toBe('5')
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({
      version: '1.0.0',
      status: 'down',
      chains: { Dogecoin: { status: 'down' } },
      storage: 'ok',
    })
    expect(text).not.toMatch(/\.test|refused|node/)
  })
})

/** Has the nodes at these hosts answer `getindexinfo` so, while `run` runs. */
async function withIndex<T>(answers: Record<string, unknown>, run: () => Promise<T>): Promise<T> {
  const fetching = vi.mocked(globalThis.fetch)
  const honest = fetching.getMockImplementation()
  if (!honest) throw new Error('no nodes')
  fetching.mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    const answer = answers[new URL(request.url).hostname]
    const [call]: { id: number; method: string }[] = answer === undefined ? [] : await request.clone().json()
    if (call?.method !== 'getindexinfo') return await honest(request)
    return answer instanceof Response ? answer.clone() : Response.json([{ id: call.id, ...Object(answer) }])
  })
  try {
    return await run()
  } finally {
    fetching.mockImplementation(honest)
  }
}

const BUILDING = { result: { txindex: { synced: false, best_block_height: 3 } } }
const MISSING = { result: {} }

describe('the check of an index of transactions', () => {
  it.each([
    ['building', BUILDING],
    ['missing', MISSING],
  ])('finds a chain down where it is %s, and logs it', async (index, answer) => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const health = await withIndex({ 'nativecoin.test': answer }, () => checkHealth(env))
    expect(health).toMatchObject({
      status: 'down',
      chains: { Nativecoin: { status: 'down', index, height: expect.any(Number) } },
    })
    expect(log).toHaveBeenCalledWith('transactions_not_indexed', 'Nativecoin', index)
    expect(health.chains.Bitcoin).not.toHaveProperty('index')
  })

  it.each([
    ['does not have the method', { error: { code: -32601, message: 'Method not found' } }],
    ['refuses it by HTTP', new Response('Forbidden', { status: 403 })],
    ['is starting for that call alone', { error: { code: -28, message: 'Loading block index…' } }],
    ['answers with something else', { result: 'yes' }],
  ])('finds nothing down where the node %s', async (_, answer) => {
    const health = await withIndex({ 'nativecoin.test': answer }, () => checkHealth(env))
    expect(health.status).toBe('ok')
    expect(health.chains.Nativecoin).not.toHaveProperty('index')
  })

  it('needs one node with a complete index, whichever it is', async () => {
    for (const host of ['bitcoin-a.test', 'bitcoin-b.test'])
      expect((await withIndex({ [host]: BUILDING }, () => checkHealth(env))).status).toBe('ok')
    const both = { 'bitcoin-a.test': BUILDING, 'bitcoin-b.test': MISSING }
    expect((await withIndex(both, () => checkHealth(env))).status).toBe('down')
  })

  it('finds a chain down where the only node that answers has none', async () => {
    const firstGone = { ...env, RPC_BITCOIN: 'http://gone.test/,http://bitcoin-a.test/' }
    const health = await withIndex({ 'bitcoin-a.test': MISSING }, () => checkHealth(firstGone))
    expect(health.chains.Bitcoin).toMatchObject({ status: 'down', index: 'missing' })
  })

  it('is described in the answer of GET /v0/health', async () => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)
    const response = await withIndex({ 'dogecoin.test': BUILDING }, () => fetchApi('GET', '/v0/health'))
    clock.mockRestore()
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      message: 'This service is not whole right now. Down: Dogecoin.',
      chains: { Dogecoin: { index: 'building' } },
    })
  })
})

describe('the check', () => {
  it('tells where the database is nearly full, by what the platform says of its size', async () => {
    const { meta } = await env.DB.prepare('SELECT 1').run()
    const withRoom = async (share: number) =>
      (await checkHealth(serviceWith({ databaseBytes: Math.ceil(meta.size_after / share) }))).database
    expect([await withRoom(0.1), await withRoom(0.85), await withRoom(0.96)]).toEqual([undefined, 'filling', 'full'])
  })

  it('tells where mails wait, which is no reason to be down', async () => {
    await add('mails', { id: 'waits', created_at: 1_000, next_attempt_at: 9e15 })
    const at = async (minutes: number) => (await checkHealth(env, 1_000 + minutes * 60_000)).mail
    expect([await at(14), await at(15)]).toEqual([undefined, 'waits'])
    await clear('mails')
    expect(await at(15)).toBeUndefined()
  })

  it('finds storage that is down', async () => {
    for (const call of [0, 1]) {
      const health = await checkHealth(faultyEnv({ call, when: 'before' }).env)
      expect(health).toMatchObject({ status: 'down', storage: 'down' })
    }
  })

  it('finds storage that is down while the migrations are missing', async () => {
    const DB = new Proxy(env.DB, {
      get: (target, key) =>
        key === 'prepare'
          ? (sql: string) => target.prepare(sql.replace('items', 'no_such_name'))
          : Reflect.get(target, key).bind(target),
    })
    expect(await checkHealth({ ...env, DB })).toMatchObject({ status: 'down', storage: 'down' })
  })

  it('tells of a wallet that cannot take new work, the first node’s; reading goes on with the others', async () => {
    const firstGone = { ...env, RPC_BITCOIN: 'http://gone.test/,http://bitcoin-a.test/' }
    expect(await checkHealth(firstGone)).toMatchObject({ status: 'ok', chains: { Bitcoin: { payment: 'down' } } })
  })

  it('is down where somebody waits for a wallet that can write nothing, and tells that it is locked', async () => {
    await chain.work('Bitcoin')
    chain.callWallet('Bitcoin', 'encryptwallet', ['secret'])
    const locked = { locked: true, payment: 'down', setAside: 0 }
    const idle = await checkHealth(env)
    const { api } = await newUser()
    chain.callWallet('Bitcoin', 'walletpassphrase', ['secret', 100_000])
    await askPayment(api, [await mergedItem(api, 'Bitcoin')], 'Bitcoin')
    chain.callWallet('Bitcoin', 'walletlock')
    const waiting = await checkHealth(env)
    chain.callWallet('Bitcoin', 'walletpassphrase', ['secret', 100_000])
    expect(idle).toMatchObject({ status: 'ok', chains: { Bitcoin: locked } })
    expect(waiting).toMatchObject({
      status: 'down',
      chains: { Bitcoin: { status: 'down', height: expect.any(Number), ...locked } },
    })
    expect(await checkHealth(env)).toMatchObject({ status: 'ok' })
  })

  it('tells at once of a node on another network: nothing is sold there', async () => {
    const other = { ...env, GENESIS_BITCOIN: 'f'.repeat(64) }
    expect(await checkHealth(other)).toMatchObject({ chains: { Bitcoin: { payment: 'down' } } })
  })

  it('leaves out a chain that no node is run for', async () => {
    const { chains } = await checkHealth({ ...env, RPC_DOGECOIN: '' })
    expect(Object.keys(chains)).toEqual(['Nativecoin', 'Bitcoin'])
  })
})
