import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withHashSlot } from '../../../../worker/features/auth/hash-slots.ts'

describe('the queue before the hash', () => {
  // The clock stands still: however slow the machine is, nobody waits too long.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }))
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('lets one work and eighteen wait, in their order, and refuses who comes then with 503', async () => {
    const order: number[] = []
    const turns = Array.from({ length: 28 }, (_, index) => withHashSlot('login', () => order.push(index)))
    const outcomes = await Promise.allSettled(turns)
    expect(order).toEqual(Array.from({ length: 19 }, (_, index) => index))
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused).toHaveLength(9)
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ status: 503, code: 'busy', headers: { 'Retry-After': '1' } })
    }
  })

  it('A47: has the sign-ups wait apart: full of them, it takes logins in turn with them', async () => {
    const order: string[] = []
    const signUps = Array.from({ length: 20 }, () => withHashSlot('sign-up', () => order.push('sign-up')))
    const logins = Array.from({ length: 3 }, () => withHashSlot('login', () => order.push('login')))
    const outcomes = await Promise.allSettled([...signUps, ...logins])
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(13)
    expect(outcomes.slice(20).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'))
    expect(order.lastIndexOf('login')).toBeLessThanOrEqual(5)
    expect(order.filter((what) => what === 'sign-up')).toHaveLength(7)
  })

  it.each(['known', 'proven', 'sign-up'] as const)(
    'leaves places of the queue %s to other networks, however many right passwords come from one',
    async (name) => {
      const from = (client: string) => withHashSlot(name, () => client, client)
      const one = Array.from({ length: 9 }, (_, n) => from(`2001:0db8:0001:000${n}`))
      const outcomes = await Promise.allSettled([...one, from('2001:0db8:0002:0001'), from('192.0.2.1')])
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(6)
      expect(outcomes.slice(9)).toMatchObject([{ value: '2001:0db8:0002:0001' }, { value: '192.0.2.1' }])
    },
  )

  it('refuses a login that waited for five seconds, and none of a known device', async () => {
    let time = 0
    vi.spyOn(Date, 'now').mockImplementation(() => time)
    vi.spyOn(scheduler, 'wait').mockImplementation(async (milliseconds) => {
      time += milliseconds
    })
    const done: string[] = []
    const hash = (name: string) => () => {
      time += 1_000
      done.push(`${name} ${time >= 8_500 ? 'late' : 'in time'}`)
    }
    const logins = Array.from({ length: 12 }, () => withHashSlot('login', hash('login')))
    const known = Array.from({ length: 6 }, () => withHashSlot('known', hash('known')))
    const refused = (await Promise.allSettled(logins)).filter(({ status }) => status === 'rejected')
    expect(refused[0]).toMatchObject({ reason: { status: 503, code: 'busy' } })
    await Promise.all(known)
    expect(done.filter((one) => one === 'login late')).toEqual([])
    expect(done.filter((one) => one === 'login in time')).toHaveLength(12 - refused.length)
    expect(done.filter((one) => one.startsWith('known'))).toHaveLength(6)
  })

  it('is free again after a hash that failed', async () => {
    const failing = Array.from({ length: 25 }, () => withHashSlot('login', () => Promise.reject(new Error('broken'))))
    await Promise.allSettled(failing)
    expect(await withHashSlot('login', () => 'done')).toBe('done')
  })

  it('rests between two hashes as long as the last one took, in which the isolate serves other requests', async () => {
    vi.useRealTimers()
    const begun: number[] = []
    const ended: number[] = []
    const block = () => {
      begun.push(performance.now())
      while (performance.now() < (begun.at(-1) ?? 0) + 60);
      ended.push(performance.now())
    }
    await Promise.all(Array.from({ length: 5 }, () => withHashSlot('login', block)))
    const rests = begun.slice(1).map((time, index) => time - (ended[index] ?? 0))
    expect(Math.min(...rests)).toBeGreaterThan(50)
  })
})
