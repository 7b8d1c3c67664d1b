import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listTestFiles } from './reach.ts'

/** Sources that may be mutated: payments, writer, agent, and what is stored. */
const MUTATED = [
  'worker/agent/',
  'worker/chain/follower/',
  'worker/chain/wake-agent.ts',
  'worker/content/cache/',
  'worker/content/denylist/denied.ts',
  'worker/content/denylist/denylist-import.ts',
  'worker/features/accounts/sql/',
  'worker/features/auth/idempotency/idempotency-keys.ts',
  'worker/features/auth/passkeys/passkeys.ts',
  'worker/features/auth/sql/',
  'worker/features/events/sql/',
  'worker/features/items/sql/',
  'worker/features/operate/',
  'worker/features/payments/',
  'worker/features/reports/sql/',
  'worker/features/sites/sql/',
  'worker/features/transactions/',
  'worker/features/payouts/',
  'worker/features/writer/',
  'worker/platform/d1/first-row.ts',
  'worker/platform/d1/guarded-batch.ts',
  'worker/platform/d1/in-parts.ts',
  'worker/platform/d1/page-key.ts',
  'worker/platform/d1/sweep-positions.ts',
  'worker/platform/flow/put-stream.ts',
  'worker/platform/records/',
]

/** A source that may be mutated. */
export interface MutatedSource {
  path: string
  text: string
  /** Test files and folders below `tests/worker` that are near to it, the nearest first. */
  tests: readonly string[]
}

/**
 * The sources below the folder of a project. Nearest are the tests beside a source that import it, then its folder and the one around
 * that, then tests elsewhere that import it.
 */
export function readSources(root: string): MutatedSource[] {
  const importers = readImporters(root)
  const paths = readdirSync(join(root, 'worker'), { recursive: true, encoding: 'utf8' }).map((name) => `worker/${name}`)
  return paths.sort().flatMap((path) => {
    if (!path.endsWith('.ts') || !MUTATED.some((start) => path.startsWith(start))) return []
    const importing = importers.get(path) ?? []
    const folder = dirname(path).replace('worker/', '')
    const beside = importing.filter((name) => dirname(name) === folder)
    const around = /^features\/\w+\//.test(folder) ? [`${dirname(folder)}/`] : []
    const tests = [...new Set([...beside, `${folder}/`, ...around, ...importing])]
    return [{ path, text: readFileSync(join(root, path), 'utf8'), tests }]
  })
}

/** Test files of the Worker, below their folder, by the sources that they import. */
function readImporters(root: string): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const name of listTestFiles(root)) {
    const text = readFileSync(join(root, 'tests/worker', name), 'utf8')
    for (const [, source] of text.matchAll(/from '[./]+\/(worker\/[^']+)'/g)) {
      if (source !== undefined) importers.set(source, [...(importers.get(source) ?? []), name])
    }
  }
  return importers
}
