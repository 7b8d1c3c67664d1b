import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { checkHealth } from '../../worker/features/health/check-health.ts'
import type { Env } from '../../worker/platform/bindings.ts'
import { runJobs } from '../../worker/run-jobs.ts'
import { clear } from './rows.ts'
import { serviceWith } from './service-with.ts'
import { useDevnet } from './use-devnet.ts'

useDevnet()
const HEARTBEAT = 'https://monitor.example/beat'
const MINUTE = 60_000
const ALERTS = { webhook: undefined, mail: undefined, heartbeat: HEARTBEAT }

let beats = 0
/** The first two words of each line of the log. */
let logged: string[] = []
/** What the monitor answers; `undefined`: nothing, as one that is down. */
let answer: number | undefined

beforeEach(async () => {
  logged = []
  for (const level of ['error', 'warn'] as const) {
    vi.spyOn(console, level).mockImplementation((...said) => void logged.push(said.slice(0, 2).join(' ')))
  }
  beats = 0
  answer = 200
  await clear('minute_runs')
  const fetching = vi.mocked(globalThis.fetch)
  const nodes = fetching.getMockImplementation()
  fetching.mockImplementation(async (input, init) => {
    if (new Request(input, init).url !== HEARTBEAT) return (await nodes?.(input, init)) ?? Response.error()
    beats++
    if (answer === undefined) throw new TypeError('Network connection lost.')
    return new Response(null, { status: answer })
  })
  return () => fetching.mockImplementation(nodes ?? (() => Promise.reject(new Error('no nodes'))))
})

const service = () => serviceWith({ alerts: ALERTS })
/** Its bucket does not answer lists, which jobs that remove old objects need. */
const withoutLists = (): Env => {
  const fails = () => Promise.reject(new Error('R2 does not answer'))
  const BUCKET = new Proxy(env.BUCKET, {
    get: (target, key) => {
      if (key === 'list') return fails
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return Object.assign(service(), { BUCKET })
}
const minuteOf = async (now: number) => (await checkHealth(env, now)).minute

describe('the jobs of the minute', () => {
  it('request the heartbeat once when all of them ended well, and health has the seconds since', async () => {
    await runJobs(service(), Date.now())
    expect(beats).toBe(1)
    expect(await minuteOf(Date.now())).toBeLessThan(60)
    expect(await minuteOf(Date.now() + 10 * MINUTE)).toBeGreaterThanOrEqual(600)
  })

  it('request nothing where no HEARTBEAT_URL is set', async () => {
    await runJobs(serviceWith({ alerts: { ...ALERTS, heartbeat: undefined } }), Date.now())
    expect(beats).toBe(0)
    expect(await minuteOf(Date.now())).toBeLessThan(60)
  })

  it('request no heartbeat where one of them failed, which is named, and health keeps the time of the last good minute', async () => {
    await runJobs(service(), Date.now())
    await env.DB.prepare('UPDATE minute_runs SET ended_at = ?1')
      .bind(Date.now() - 5 * MINUTE)
      .run()
    await expect(runJobs(withoutLists(), Date.now())).rejects.toThrow(/^These jobs failed: .*chainCache/)
    expect(beats).toBe(1)
    expect(await minuteOf(Date.now())).toBeGreaterThanOrEqual(300)
    expect(logged).toContain('job_failed chainCache')
  })

  it.each([500, 302, undefined])('end well where the monitor answers %s, and say so in the log', async (status) => {
    answer = status
    await runJobs(service(), Date.now())
    expect(beats).toBe(1)
    expect(logged).toContainEqual(expect.stringMatching(/^heartbeat_not_sent /))
    expect(await minuteOf(Date.now())).toBeLessThan(60)
  })
})
