import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FairQueue } from '../../../../worker/platform/flow/fair-queue.ts'
import { runInQueue } from '../../../../worker/platform/http/limit-concurrency.ts'
import { fetchApi } from '../../fetch-api.ts'
import { add } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'

/** An API key of a new account. */
async function newKey(): Promise<string> {
  const { token } = await signIn()
  const made = await fetchApi('POST', '/v0/user/keys', { token, body: { name: 'ci', scopes: ['read'] } })
  const { key }: { key: string } = await made.json()
  return key
}

/** The limits of the queues of accounts and of keys; that of networks has half of them. */
const [AT_ONCE, WAITING] = [16, 128]
/** A running request counts no longer than this (ms), however late timers fired. */
const MOST_HELD_MS = 1000

/** Adds so many requests to a queue, each of another owner, and returns a function that ends them. */
function fillQueue(kind: Parameters<typeof runInQueue>[0], count = AT_ONCE + WAITING): () => Promise<void> {
  const held = Promise.withResolvers<void>()
  const requests = Array.from({ length: count }, (_, n) => runInQueue(kind, { owner: `${n}` }, () => held.promise))
  const outcomes = Promise.allSettled(requests)
  return async () => {
    held.resolve()
    await outcomes
  }
}

describe('requests that take turns', () => {
  // The clock stands still: however slow the machine is, no timer fires late, and a running request counts until it ends.
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    // A request that waits resets how late timers fired in an earlier test, on which depends how many run at once.
    for (const kind of ['account', 'key', 'network'] as const) {
      const empty = fillQueue(kind, AT_ONCE + 1)
      await empty()
    }
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('A53: have one of an account answered beside two hundred of another, of which it refuses those that are too many', async () => {
    const held = Promise.withResolvers<void>()
    const order: string[] = []
    const many = Promise.allSettled(
      Array.from({ length: 200 }, () =>
        runInQueue('account', { owner: 'many' }, async () => {
          order.push('many')
          await held.promise
        }),
      ),
    )
    const one = runInQueue('account', { owner: 'one' }, async () => void order.push('one'))
    // The longest that a turn counts: the clock moves once, so that the first sixteen make room once.
    vi.setSystemTime(Date.now() + MOST_HELD_MS)
    await one
    held.resolve()
    const outcomes = await many
    // 16 work and 128 wait, one of which gave its place to the other account.
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused).toHaveLength(57)
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ status: 503, code: 'busy', headers: { 'Retry-After': '2' } })
    }
    // Among the next that begin, when the first have worked for so long that they count no more.
    expect(order.indexOf('one')).toBeLessThan(32)
  })

  it('of accounts do not wait for those without one', async () => {
    const held = Promise.withResolvers<void>()
    const anonymous = Promise.all(
      Array.from({ length: 40 }, () => runInQueue('network', { owner: '' }, () => held.promise)),
    )
    expect(await runInQueue('account', { owner: 'one' }, async () => 'answered')).toBe('answered')
    held.resolve()
    await anonymous
  })

  it('are refused by their token, where the line is full of others', async () => {
    const { headers } = await signIn()
    const empty = fillQueue('account')
    const refused = await fetchApi('GET', '/v0/user', { headers })
    await empty()
    expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining({ code: 'busy' })])
    expect((await fetchApi('GET', '/v0/user', { headers })).status).toBe(200)
  })

  it('A53: of an account that has paid are answered where the queue is full of accounts that never did', async () => {
    const { headers, userId } = await signIn()
    await add('ledger', { user_id: userId, seq: 1, amount: '5', balance: '5', cause: `output:${userId}:0` })
    const body = { name: 'a.txt', mimetype: 'text/plain', blockchain: 'IPFS', size: 10 }
    expect((await fetchApi('POST', '/v0/item', { headers, body })).status).toBe(201)
    const stranger = await signIn()
    const join = vi.spyOn(FairQueue.prototype, 'join')
    const empty = fillQueue('account')
    const paid = fetchApi('GET', '/v0/user', { headers })
    const refused = await fetchApi('GET', '/v0/user', { headers: stranger.headers })
    await expect.poll(() => join.mock.calls.some(([, , first]) => first)).toBe(true)
    // The clock moves once: those that run count no more.
    vi.setSystemTime(Date.now() + MOST_HELD_MS)
    const answered = await paid
    await empty()
    expect([refused.status, answered.status]).toEqual([503, 200])
  })

  it('A54: with an API key do not wait for made-up keys, once it was accepted', async () => {
    const token = await newKey()
    const another = await newKey()
    expect((await fetchApi('GET', '/v0/user', { token })).status).toBe(200)
    const empty = fillQueue('key')
    const unknown = await fetchApi('GET', '/v0/user', { token: another })
    const known = await fetchApi('GET', '/v0/user', { token })
    await empty()
    expect([unknown.status, known.status]).toEqual([503, 200])
  })

  it('A54: with made-up keys take turns by network, so that one that sends many keeps out no other', async () => {
    const join = vi.spyOn(FairQueue.prototype, 'join')
    const empty = fillQueue('key', AT_ONCE)
    const headers = { 'CF-Connecting-IP': '192.0.2.1' }
    const asked = Array.from({ length: 140 }, (_, n) =>
      fetchApi('GET', '/v0/user', { headers, token: `hookline_${`${n}`.padStart(43, 'a')}` }),
    )
    const one = fetchApi('GET', '/v0/user', {
      headers: { 'CF-Connecting-IP': '198.51.100.1' },
      token: `hookline_${'b'.repeat(43)}`,
    })
    await expect.poll(() => join.mock.calls.length).toBe(AT_ONCE + 141)
    vi.setSystemTime(Date.now() + MOST_HELD_MS)
    expect((await one).status).toBe(401)
    await empty()
    await Promise.all(asked)
  })

  it('end with what they throw, and make room for others', async () => {
    const failing = Array.from({ length: 80 }, () =>
      runInQueue('account', { owner: 'failing' }, () => Promise.reject(new Error('failed'))),
    )
    for (const outcome of await Promise.allSettled(failing)) {
      expect(outcome).toMatchObject({ reason: { message: 'failed' } })
    }
    expect(await runInQueue('account', { owner: 'failing' }, async () => 'answered')).toBe('answered')
  })
})
