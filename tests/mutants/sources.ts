import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is mutated, and the Worker's tests that look at it; the simulation looks at all of it. */
export const MUTATED: Readonly<Record<string, readonly string[]>> = {
  'worker/payments': ['payments', 'writer', 'accounts'],
  'worker/writer': ['writer', 'payments'],
  'worker/chain-agent': ['chain-agent', 'writer', 'payments'],
  'worker/chain-follower': ['chain-follower', 'writer', 'payments'],
  'worker/storage/guarded-batch.ts': ['payments', 'writer'],
  'worker/storage/chain': ['chain-follower', 'writer', 'payments'],
  'worker/storage/payments': ['payments', 'writer', 'accounts'],
  'worker/storage/writes': ['writer', 'payments'],
  'worker/storage/items': ['items', 'payments', 'writer', 'accounts'],
  'worker/storage/accounts': ['accounts', 'auth'],
  'worker/storage/sites': ['sites', 'denylist'],
}

/** A source that may be mutated, with the folders of tests that look at it. */
export interface MutatedSource {
  path: string
  text: string
  tests: readonly string[]
}

/** The sources below the folder of a project. */
export function readSources(root: string): MutatedSource[] {
  return Object.entries(MUTATED).flatMap(([place, tests]) => {
    const files = place.endsWith('.ts')
      ? [place]
      : readdirSync(join(root, place), { recursive: true, encoding: 'utf8' }).map((name) => `${place}/${name}`)
    return files
      .filter((path) => path.endsWith('.ts'))
      .sort()
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8'), tests }))
  })
}
