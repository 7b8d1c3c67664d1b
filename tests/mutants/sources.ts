import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Who looks at a source: tests below `tests/worker`, those first that are nearest to it; and the simulation, if it runs it. */
interface Watchers {
  tests: readonly string[]
  seeds: boolean
}

const MONEY = ['payments', 'withdrawals', 'writer', 'operate', 'chain-agent', 'chain-follower']
const WRITING = ['writer', 'withdrawals', 'operate', 'payments', 'chain-agent', 'chain-follower']
/** What storage costs; its tests take milliseconds. */
const CALLS = 'storage/calls.test.ts'
const ITEMS = ['items', 'upload', 'payments', 'writer', 'accounts/account.test.ts', 'accounts/quotas.test.ts']

/** What is mutated, by the longest beginning of a path that is listed. */
const MUTATED: Readonly<Record<string, Watchers>> = {
  'worker/payments': { tests: MONEY, seeds: true },
  'worker/payments/list-': { tests: ['payments/history.test.ts', 'payments', 'idempotency'], seeds: false },
  'worker/writer': { tests: WRITING, seeds: true },
  'worker/withdrawals': { tests: ['withdrawals', 'operate', 'writer'], seeds: true },
  'worker/chain-agent': { tests: ['chain-agent', 'writer', 'payments', 'events', 'health'], seeds: true },
  'worker/chain-follower': { tests: ['chain-follower', 'chain-agent', 'writer', 'payments'], seeds: true },
  'worker/storage/first-row.ts': { tests: ['storage/withdrawals.test.ts', ...MONEY], seeds: true },
  'worker/storage/guarded-batch.ts': { tests: [CALLS, 'storage/guarded-batch.test.ts', ...MONEY], seeds: true },
  'worker/storage/in-parts.ts': { tests: ['storage/payments', ...MONEY], seeds: true },
  'worker/storage/page-key.ts': {
    tests: ['storage/payments', 'items', 'payments', 'withdrawals'],
    seeds: false,
  },
  'worker/storage/accounts': {
    tests: [
      CALLS,
      'storage/accounts.test.ts',
      'storage/credentials.test.ts',
      'accounts',
      'auth',
      'idempotency',
      'passkeys',
      'payments',
    ],
    seeds: false,
  },
  'worker/storage/accounts/quotas.ts': {
    tests: ['storage/credentials.test.ts', 'storage/sites', 'accounts/quotas.test.ts', 'items'],
    seeds: true,
  },
  'worker/storage/audit': {
    tests: [CALLS, 'storage/operate.test.ts', 'operate', 'accounts', 'withdrawals'],
    seeds: false,
  },
  'worker/storage/cache': {
    tests: [CALLS, 'storage/operate.test.ts', 'storage/cache.test.ts', 'routes/cache.test.ts', 'chain-content'],
    seeds: false,
  },
  'worker/storage/chain': { tests: [CALLS, 'storage/chain.test.ts', ...WRITING], seeds: true },
  'worker/storage/denylist': { tests: [CALLS, 'storage/operate.test.ts', 'denylist'], seeds: false },
  'worker/storage/events': {
    tests: [CALLS, 'storage/events.test.ts', 'storage/writes', 'events'],
    seeds: false,
  },
  'worker/storage/items': {
    tests: [
      CALLS,
      'storage/put-stream.test.ts',
      'storage/item-objects.test.ts',
      'storage/item-moves.test.ts',
      'storage/items.test.ts',
      ...ITEMS,
    ],
    seeds: true,
  },
  'worker/storage/operate': { tests: [CALLS, 'storage/operate.test.ts', 'operate', 'payments'], seeds: false },
  'worker/storage/payments': { tests: ['storage/payments', ...MONEY], seeds: true },
  'worker/storage/reports': { tests: [CALLS, 'storage/operate.test.ts', 'routes/report.test.ts'], seeds: false },
  'worker/storage/sites': {
    tests: [CALLS, 'storage/hostname-marks.test.ts', 'storage/sites', 'storage/accounts.test.ts', 'sites', 'denylist'],
    seeds: false,
  },
  'worker/storage/withdrawals': {
    tests: ['storage/withdrawals.test.ts', 'withdrawals', 'operate', 'writer', 'accounts/account.test.ts'],
    seeds: true,
  },
  'worker/storage/writes': { tests: [CALLS, 'storage/writes', ...WRITING], seeds: true },
}

/** A source that may be mutated, with who looks at it. */
export interface MutatedSource extends Watchers {
  path: string
  text: string
}

/** The sources below the folder of a project. Tests beside it that import one themselves are nearer to it than all others. */
export function readSources(root: string): MutatedSource[] {
  const importers = readImporters(root)
  const places = Object.keys(MUTATED).sort((a, b) => b.length - a.length)
  const paths = readdirSync(join(root, 'worker'), { recursive: true, encoding: 'utf8' }).map((name) => `worker/${name}`)
  return paths.sort().flatMap((path) => {
    const watchers = MUTATED[places.find((place) => path.startsWith(place)) ?? '']
    if (!watchers || !path.endsWith('.ts')) return []
    const tests = [...(importers.get(path) ?? []), ...watchers.tests]
    return [{ path, text: readFileSync(join(root, path), 'utf8'), ...watchers, tests }]
  })
}

/** Tests of the Worker, below their folder, by the sources of the same folder that they import; not those that take seconds a case. */
function readImporters(root: string): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  const folder = join(root, 'tests/worker')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.test.ts') || name.endsWith('.heavy.test.ts')) continue
    const text = readFileSync(join(folder, name), 'utf8')
    for (const [, source] of text.matchAll(/from '[./]+\/(worker\/[^']+)'/g)) {
      if (source !== undefined && dirname(source) === `worker/${dirname(name)}`)
        importers.set(source, [...(importers.get(source) ?? []), name])
    }
  }
  return importers
}
