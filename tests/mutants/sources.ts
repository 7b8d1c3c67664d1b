import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Who looks at a source: tests below `tests/worker`, those first that are nearest to it; and the simulation, if it runs it. */
interface Watchers {
  tests: readonly string[]
  seeds: boolean
}

const MONEY = [
  'features/payments',
  'features/withdrawals',
  'features/writer',
  'features/operate',
  'agent',
  'chain/follower',
]
const WRITING = [
  'features/writer',
  'features/withdrawals',
  'features/operate',
  'features/payments',
  'agent',
  'chain/follower',
]
/** What storage costs; its tests take milliseconds. */
const CALLS = 'calls.test.ts'
const ITEMS = [
  'features/items',
  'features/items/upload',
  'features/payments',
  'features/writer',
  'features/accounts/account.test.ts',
  'features/auth/quotas.test.ts',
]

const ACCOUNTS: Watchers = {
  tests: [
    CALLS,
    'features/accounts/sql/accounts.test.ts',
    'features/auth/sql/credentials.test.ts',
    'features/accounts',
    'features/auth',
    'features/auth/idempotency',
    'features/auth/passkeys',
    'features/payments',
  ],
  seeds: false,
}

/** What is mutated, by the longest beginning of a path that is listed. */
const MUTATED: Readonly<Record<string, Watchers>> = {
  'worker/features/payments': { tests: MONEY, seeds: true },
  'worker/features/payments/find-known-content.ts': { tests: ['features/items/known-items.test.ts'], seeds: false },
  'worker/features/payments/list-': {
    tests: ['features/payments/history.test.ts', 'features/payments', 'features/auth/idempotency'],
    seeds: false,
  },
  'worker/features/writer': { tests: WRITING, seeds: true },
  'worker/features/withdrawals': {
    tests: ['features/withdrawals', 'features/operate', 'features/writer'],
    seeds: true,
  },
  'worker/agent': {
    tests: ['agent', 'features/writer', 'features/payments', 'features/events', 'features/health'],
    seeds: true,
  },
  'worker/chain/follower': { tests: [CALLS, 'chain/follower', ...WRITING], seeds: true },
  'worker/chain/wake-agent.ts': { tests: ['agent', 'features/payments'], seeds: true },
  'worker/platform/d1/first-row.ts': { tests: ['features/withdrawals/sql/withdrawals.test.ts', ...MONEY], seeds: true },
  'worker/platform/d1/guarded-batch.ts': { tests: [CALLS, 'platform/d1/guarded-batch.test.ts', ...MONEY], seeds: true },
  'worker/platform/d1/in-parts.ts': { tests: ['features/payments/sql', ...MONEY], seeds: true },
  'worker/platform/d1/page-key.ts': {
    tests: ['features/payments/sql', 'features/items', 'features/payments', 'features/withdrawals'],
    seeds: false,
  },
  'worker/features/auth/sql': ACCOUNTS,
  'worker/features/accounts/sql': ACCOUNTS,
  'worker/features/auth/idempotency/idempotency-keys.ts': ACCOUNTS,
  'worker/features/auth/passkeys/passkeys.ts': ACCOUNTS,
  'worker/features/auth/sql/quotas.ts': {
    tests: [
      'features/auth/sql/credentials.test.ts',
      'features/sites/sql',
      'features/auth/quotas.test.ts',
      'features/items',
    ],
    seeds: true,
  },
  'worker/platform/records': {
    tests: [
      CALLS,
      'features/operate/sql/operate.test.ts',
      'features/events/sql/events.test.ts',
      'features/operate',
      'features/accounts',
      'features/withdrawals',
    ],
    seeds: false,
  },
  'worker/content/cache': {
    tests: [
      CALLS,
      'features/operate/sql/operate.test.ts',
      'content/cache/cache.test.ts',
      'features/retrieval/routes/cache.test.ts',
      'content/chain',
    ],
    seeds: false,
  },
  'worker/content/denylist/denied.ts': { tests: [CALLS, 'content/denylist'], seeds: false },
  'worker/content/denylist/denylist-import.ts': {
    tests: [CALLS, 'features/operate/sql/operate.test.ts', 'content/denylist'],
    seeds: false,
  },
  'worker/features/events/sql': {
    tests: [CALLS, 'features/events/sql/events.test.ts', 'features/wallet/sql', 'features/events'],
    seeds: false,
  },
  'worker/platform/flow/put-stream.ts': { tests: ['platform/flow/put-stream.test.ts', ...ITEMS], seeds: true },
  'worker/platform/d1/sweep-positions.ts': { tests: [CALLS, 'features/sites', 'content/chain'], seeds: false },
  'worker/features/items/sql': {
    tests: [
      CALLS,
      'features/items/sql/item-objects.test.ts',
      'features/items/sql/item-moves.test.ts',
      'features/items/sql/items.test.ts',
      ...ITEMS,
    ],
    seeds: true,
  },
  'worker/features/cold': {
    tests: ['features/cold', 'features/operate', 'features/withdrawals', 'features/writer'],
    seeds: false,
  },
  'worker/features/operate': { tests: ['features/operate', 'features/withdrawals', 'features/payments'], seeds: true },
  'worker/features/operate/sql': {
    tests: [
      CALLS,
      'features/operate/sql/operate.test.ts',
      'features/operate',
      'features/payments',
      'features/writer/fold-items.test.ts',
    ],
    seeds: false,
  },
  'worker/features/payments/sql': { tests: ['features/payments/sql', ...MONEY], seeds: true },
  'worker/features/reports/sql': {
    tests: [CALLS, 'features/operate/sql/operate.test.ts', 'features/reports'],
    seeds: false,
  },
  'worker/features/sites/sql': {
    tests: [
      CALLS,
      'features/sites/sql/hostname-marks.test.ts',
      'features/sites/sql',
      'features/accounts/sql/accounts.test.ts',
      'features/sites',
      'content/denylist',
    ],
    seeds: false,
  },
  'worker/features/withdrawals/sql': {
    tests: [
      'features/withdrawals/sql/withdrawals.test.ts',
      'features/withdrawals',
      'features/operate',
      'features/writer',
      'features/accounts/account.test.ts',
    ],
    seeds: true,
  },
  'worker/features/wallet': { tests: [CALLS, 'features/wallet/sql', ...WRITING], seeds: true },
}

/** A source that may be mutated, with who looks at it. */
export interface MutatedSource extends Watchers {
  path: string
  text: string
}

/**
 * The sources below the folder of a project. Tests beside it that import one themselves are nearer to it than all others; those
 * elsewhere that do come last.
 */
export function readSources(root: string): MutatedSource[] {
  const importers = readImporters(root)
  const places = Object.keys(MUTATED).sort((a, b) => b.length - a.length)
  const paths = readdirSync(join(root, 'worker'), { recursive: true, encoding: 'utf8' }).map((name) => `worker/${name}`)
  return paths.sort().flatMap((path) => {
    const watchers = MUTATED[places.find((place) => path.startsWith(place)) ?? '']
    if (!watchers || !path.endsWith('.ts')) return []
    const importing = importers.get(path) ?? []
    const beside = importing.filter((name) => dirname(path) === `worker/${dirname(name)}`)
    const tests = [...new Set([...beside, ...watchers.tests, ...importing])]
    return [{ path, text: readFileSync(join(root, path), 'utf8'), ...watchers, tests }]
  })
}

/** Tests of the Worker, below their folder, by the sources that they import; not those that take seconds a case. */
function readImporters(root: string): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  const folder = join(root, 'tests/worker')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.test.ts') || name.endsWith('.heavy.test.ts')) continue
    const text = readFileSync(join(folder, name), 'utf8')
    for (const [, source] of text.matchAll(/from '[./]+\/(worker\/[^']+)'/g)) {
      if (source !== undefined) importers.set(source, [...(importers.get(source) ?? []), name])
    }
  }
  return importers
}
