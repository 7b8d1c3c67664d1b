import { describe, expect, it, vi } from 'vitest'
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

/**
 * Fills a queue with requests of many owners, and returns a function that ends them. Where timers fired late before, fewer
 * run at once and the last of them are refused.
 */
function fillQueue(kind: Parameters<typeof runInQueue>[0]): () => Promise<void> {
  const held = Promise.withResolvers<void>()
  const requests = Promise.allSettled(
    Array.from({ length: 144 }, (_, n) => runInQueue(kind, { owner: `${n}` }, () => held.promise)),
  )
  return async () => {
    held.resolve()
    await requests
  }
}

describe('requests that take turns', () => {
  it('A53: have one of an account answered beside two hundred of another, of which it refuses those that are too many', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
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
    vi.setSystemTime(Date.now() + 1000)
    await one
    held.resolve()
    const outcomes = await many
    vi.useRealTimers()
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
    const anonymous = Array.from({ length: 40 }, () => runInQueue('network', { owner: '' }, () => held.promise))
    expect(await runInQueue('account', { owner: 'one' }, async () => 'answered')).toBe('answered')
    held.resolve()
    await Promise.all(anonymous)
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
    const empty = fillQueue('account')
    const [refused, answered] = await Promise.all(
      [stranger, { headers }].map(({ headers }) => fetchApi('GET', '/v0/user', { headers })),
    )
    await empty()
    expect([refused?.status, answered?.status]).toEqual([503, 200])
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
    const held = Promise.withResolvers<void>()
    const others = Array.from({ length: 16 }, (_, n) => runInQueue('key', { owner: `${n}` }, () => held.promise))
    const headers = { 'CF-Connecting-IP': '192.0.2.1' }
    const asked = Array.from({ length: 140 }, (_, n) =>
      fetchApi('GET', '/v0/user', { headers, token: `hookline_${`${n}`.padStart(43, 'a')}` }),
    )
    const one = fetchApi('GET', '/v0/user', {
      headers: { 'CF-Connecting-IP': '198.51.100.1' },
      token: `hookline_${'b'.repeat(43)}`,
    })
    expect((await one).status).toBe(401)
    held.resolve()
    await Promise.all([...others, ...asked])
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
