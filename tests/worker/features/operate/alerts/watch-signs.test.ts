import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { hourOf } from '../../../../../worker/content/cache/admissions.ts'
import { SIGNS, type SignName } from '../../../../../worker/features/operate/alerts/sign-table.ts'
import { watchSigns } from '../../../../../worker/features/operate/alerts/watch-signs.ts'
import type { Env } from '../../../../../worker/platform/bindings.ts'
import { add, clear, count, runSql } from '../../../rows.ts'
import { serviceWith } from '../../../service-with.ts'
import { useDevnet } from '../../../use-devnet.ts'

const chain = useDevnet()
const WEBHOOK = 'https://alerts.example/hook'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const now = () => Date.now()

interface Told {
  state: string
  name: string
  subject: string
  detail: string
}
let told: Told[] = []
let answer = 204
/** What is asked of the service for indexes of transactions, where that is to differ. */
let indexAnswer: unknown

beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  told = []
  answer = 204
  indexAnswer = undefined
  // A step that ended long ago would be a sign of its own.
  await clear('alerts', 'alert_messages', 'mails', 'chain_states')
  const fetching = vi.mocked(globalThis.fetch)
  const nodes = fetching.getMockImplementation()
  fetching.mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    if (request.url === WEBHOOK) {
      const body: { alerts: Told[] } = await request.json()
      if (answer === 204) told.push(...body.alerts)
      return new Response(null, { status: answer })
    }
    if (indexAnswer !== undefined && new URL(request.url).hostname === 'dogecoin.test') {
      const [call]: { id: number; method: string }[] = await request.clone().json()
      if (call?.method === 'getindexinfo') return Response.json([{ id: call.id, result: indexAnswer }])
    }
    if (!nodes) throw new Error('no nodes')
    return await nodes(request)
  })
  return () => fetching.mockImplementation(nodes ?? (() => Promise.reject(new Error('no nodes'))))
})

const ALERTS = { webhook: WEBHOOK, mail: undefined, heartbeat: undefined }
const service = (change: Parameters<typeof serviceWith>[0] = {}) => serviceWith({ alerts: ALERTS, ...change })
const namesOf = (state: string) =>
  told.filter((one) => one.state === state).map(({ name, subject }) => `${name} ${subject}`)

/** The database of `env` answers nothing. */
const withoutDatabase = (): Env => {
  const fails = () => Promise.reject(new Error('D1_ERROR: Network connection lost.'))
  const DB = new Proxy(env.DB, {
    get: (_, key) => (key === 'prepare' ? () => ({ run: fails, bind: () => ({ run: fails }) }) : fails),
  })
  return Object.assign(service(), { DB })
}

/** With which service, failed jobs and how much later the signs are watched. */
interface Watched {
  env?: Env
  failedJobs?: string[]
  ahead?: number
}

interface Fault {
  make?(): unknown
  watched?(): Promise<Watched> | Watched
  mend?(): unknown
  subject?: string
}

const size = async () => (await env.DB.prepare('SELECT 1').run()).meta.size_after
const books = { blockchain: 'Bitcoin', ledger: '5', wallet: '5', chain: '5', owed: '0', held: '9', unassigned: '0' }
const clearing =
  (...tables: string[]) =>
  async () =>
    clear(...tables)

const FAULTS: Record<Exclude<SignName, 'database_down'>, Fault> = {
  storage_down: {
    watched: () => {
      const BUCKET = new Proxy(env.BUCKET, { get: () => () => Promise.reject(new Error('R2')) })
      return { env: Object.assign(service(), { BUCKET }) }
    },
  },
  job_failed: { watched: () => ({ failedJobs: ['sweep'] }) },
  database_filling: { watched: async () => ({ env: service({ databaseBytes: Math.ceil((await size()) / 0.85) }) }) },
  database_full: { watched: async () => ({ env: service({ databaseBytes: Math.ceil((await size()) / 0.97) }) }) },
  mail_waits: {
    make: () => add('mails', { id: 'waits', created_at: now() - 16 * MINUTE, next_attempt_at: 9e15 }),
    mend: clearing('mails'),
  },
  denylist_not_read: {
    make: () => runSql("UPDATE denylist_import SET problem = 'It was answered with 500.'"),
    watched: () => ({ env: service({ denylistUrl: 'https://list.example/' }) }),
    mend: () => runSql('UPDATE denylist_import SET problem = NULL'),
  },
  cache_spent: {
    make: () => {
      const [hour, later] = [hourOf(now()), hourOf(now()) + 1]
      const full = { cache: 'chain', bytes: 5_000 }
      return add('cache_admissions', { ...full, hour }, { ...full, hour: later })
    },
    watched: () => ({ env: service({ cacheBytesPerHour: 5_000 }) }),
    mend: clearing('cache_admissions'),
  },
  report_waits: {
    make: async () => {
      await add('reports', { id: 'r', kind: 'txid', digest: 'd', value: 'v' })
      await add('report_statements', { report: 'r', number: 1, at: now() - 25 * HOUR, reason: 'spam' })
    },
    mend: clearing('report_statements', 'reports'),
  },
  chain_down: { make: () => chain.breakNodes(true), mend: () => chain.breakNodes(false), subject: 'Bitcoin' },
  index_missing: {
    make: () => {
      indexAnswer = {}
    },
    mend: () => {
      indexAnswer = undefined
    },
    subject: 'Dogecoin',
  },
  payment_down: {
    make: () => chain.callWallet('Bitcoin', 'encryptwallet', ['secret']),
    mend: () => void chain.callWallet('Bitcoin', 'walletpassphrase', ['secret', 1e8]),
    subject: 'Bitcoin',
  },
  tip_old: {
    make: () => chain.work('Nativecoin'),
    watched: () => ({ ahead: 4 * HOUR }),
    mend: () => runSql(`UPDATE chain_states SET tip_at = tip_at + ${4 * HOUR}`),
    subject: 'Nativecoin',
  },
  stopped: {
    make: () => add('stops', { blockchain: 'Bitcoin', part: 'payouts', cause: 'hand', reason: 'a test', since: 0 }),
    mend: clearing('stops'),
    subject: 'Bitcoin',
  },
  record_failed: {
    make: () => add('failed_records', { id: 'record' }),
    mend: clearing('failed_records'),
    subject: 'Bitcoin',
  },
  incident: {
    make: () => add('incidents', { blockchain: 'Bitcoin', code: 'not_moved', reason: 'a test', since: 0 }),
    mend: clearing('incidents'),
    subject: 'Bitcoin',
  },
  items_stopped: {
    make: async () => {
      await add('items', { id: 'item' })
      await add('payment_requests', { id: 'request', state: 'settled' })
      await add('writes', { item_id: 'item', state: 'paused' })
    },
    mend: clearing('writes', 'payment_requests', 'items'),
    subject: 'Bitcoin',
  },
  withdrawal_held: {
    make: () => add('withdrawals', { id: 'held', state: 'held', created_at: now() }),
    mend: clearing('withdrawals'),
    subject: 'Bitcoin',
  },
  withdrawal_waits: {
    make: () => add('withdrawals', { id: 'waits', created_at: now() - 2 * HOUR }),
    mend: clearing('withdrawals'),
    subject: 'Bitcoin',
  },
  wallet_coins: {
    make: () => add('withdrawals', { id: 'large', amount: '2000000000000000', created_at: now() }),
    mend: clearing('withdrawals'),
    subject: 'Bitcoin',
  },
  wallet_short: {
    make: () => add('reconciliations', { ...books, owed: '10', read_at: now() }),
    mend: clearing('reconciliations'),
    subject: 'Bitcoin',
  },
  books_differ: {
    make: () => add('reconciliations', { ...books, unassigned: '1', read_at: now() }),
    mend: clearing('reconciliations'),
    subject: 'Bitcoin',
  },
  books_old: {
    make: () => add('reconciliations', { ...books, read_at: now() - 27 * HOUR }),
    mend: clearing('reconciliations'),
    subject: 'Bitcoin',
  },
}

describe('a sign of something that needs an operator', () => {
  it.each(Object.entries(FAULTS))(
    '%s is told when its fault lasts for a minute, and once it is over',
    async (name, fault) => {
      await fault.make?.()
      const { env: faulty = service(), failedJobs = [], ahead = 0 } = (await fault.watched?.()) ?? {}
      const start = now() + ahead
      const own = (state: string) => namesOf(state).filter((one) => one === `${name} ${fault.subject ?? ''}`)
      await watchSigns(faulty, failedJobs, start)
      expect(told).toEqual([])
      for (const minutes of [1, 2, 3]) await watchSigns(faulty, failedJobs, start + minutes * MINUTE)
      expect([own('raised').length, own('over').length]).toEqual([1, 0])

      await fault.mend?.()
      await watchSigns(service(), [], start + 4 * MINUTE)
      expect(own('over')).toEqual([])
      for (const minutes of [9, 10]) await watchSigns(service(), [], start + minutes * MINUTE)
      expect([own('raised').length, own('over').length]).toEqual([1, 1])
    },
  )

  it('has a row in the table for each fault that is tested here, and one for the database', () => {
    expect(Object.keys(SIGNS).toSorted()).toEqual([...Object.keys(FAULTS), 'database_down'].toSorted())
  })

  it('is told by mail, too, and the webhook is told again a minute after it refused', async () => {
    await add('stops', { blockchain: 'Bitcoin', part: 'writing', cause: 'hand', reason: 'a test', since: 0 })
    const both = service({ alerts: { ...ALERTS, mail: 'ops@example.org' } })
    answer = 500
    for (const minutes of [0, 1]) await watchSigns(both, [], now() + minutes * MINUTE)
    expect([told, await count('alert_messages')]).toEqual([[], 1])
    answer = 204
    for (const minutes of [2, 3]) await watchSigns(both, [], now() + minutes * MINUTE)
    expect([namesOf('raised'), await count('alert_messages')]).toEqual([['stopped Bitcoin'], 0])
    expect(await count("mails WHERE recipient = 'ops@example.org' AND template = 'alert'")).toBe(1)
    await clear('stops')
  })

  it('is told once by two runs at the same time', async () => {
    await add('stops', { blockchain: 'Bitcoin', part: 'writing', cause: 'hand', reason: 'a test', since: 0 })
    await watchSigns(service(), [], now())
    await Promise.all([1, 2].map(() => watchSigns(service(), [], now() + MINUTE)))
    expect(namesOf('raised')).toEqual(['stopped Bitcoin'])
    await clear('stops')
  })

  it('is not looked for where nobody is to be told', async () => {
    await watchSigns(serviceWith({ alerts: { ...ALERTS, webhook: undefined } }), ['sweep'], now())
    expect(await count('alerts')).toBe(0)
  })
})

describe('database_down', () => {
  it('is told by the webhook alone, at most once an hour, and once when the database answers again', async () => {
    const clock = vi.mocked(Date.now)
    const start = now()
    const at = async (minutes: number, faulty: Env) => {
      clock.mockReturnValue(start + minutes * MINUTE)
      await watchSigns(faulty, [], now())
    }
    answer = 500
    await at(0, withoutDatabase())
    expect(told).toEqual([])
    answer = 204
    for (const minutes of [1, 2, 3]) await at(minutes, withoutDatabase())
    expect(namesOf('raised')).toEqual(['database_down '])
    for (const minutes of [4, 5]) await at(minutes, service())
    expect(namesOf('over')).toEqual(['database_down '])
    await at(6, withoutDatabase())
    await at(7, service())
    expect(told).toHaveLength(2)
    await at(62, withoutDatabase())
    expect(namesOf('raised')).toEqual(['database_down ', 'database_down '])
    clock.mockReturnValue(start)
  })
})
