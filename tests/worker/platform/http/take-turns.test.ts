import { describe, expect, it } from 'vitest'
import { inTurn } from '../../../../worker/platform/http/take-turns.ts'
import { fetchApi } from '../../fetch-api.ts'
import { signIn } from '../../sign-in.ts'

describe('requests that take turns', () => {
  it('have one of an account answered beside two hundred of another, of which it refuses those that are too many', async () => {
    const held = Promise.withResolvers<void>()
    const order: string[] = []
    const many = Array.from({ length: 200 }, () =>
      inTurn('account', 'many', async () => {
        order.push('many')
        await held.promise
      }),
    )
    const one = inTurn('account', 'one', async () => void order.push('one'))
    held.resolve()
    const outcomes = await Promise.allSettled(many)
    await one
    // 16 work and 128 wait, one of which gave its place to the other account.
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused).toHaveLength(57)
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ status: 503, code: 'busy', headers: { 'Retry-After': '2' } })
    }
    // Among the first that begin when those end.
    expect(order.indexOf('one')).toBeLessThanOrEqual(32)
  })

  it('of accounts do not wait for those without one', async () => {
    const held = Promise.withResolvers<void>()
    const anonymous = Array.from({ length: 40 }, () => inTurn('network', '', () => held.promise))
    expect(await inTurn('account', 'one', async () => 'answered')).toBe('answered')
    held.resolve()
    await Promise.all(anonymous)
  })

  it('are refused by their token, where the line is full of others', async () => {
    const { headers } = await signIn()
    const held = Promise.withResolvers<void>()
    const others = Array.from({ length: 144 }, (_, n) => inTurn('account', `${n}`, () => held.promise))
    const refused = await fetchApi('GET', '/v0/user', { headers })
    held.resolve()
    await Promise.all(others)
    expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining({ code: 'busy' })])
    expect((await fetchApi('GET', '/v0/user', { headers })).status).toBe(200)
  })

  it('end with what they throw, and make room for others', async () => {
    const failing = Array.from({ length: 80 }, () =>
      inTurn('account', 'failing', () => Promise.reject(new Error('failed'))),
    )
    for (const outcome of await Promise.allSettled(failing)) {
      expect(outcome).toMatchObject({ reason: { message: 'failed' } })
    }
    expect(await inTurn('account', 'failing', async () => 'answered')).toBe('answered')
  })
})
