import { expect, it, vi } from 'vitest'
import { MemoryD1 } from './memory-d1.ts'
import { runSeed } from './run-seed.ts'

/** Tables with a row for each chain, or one that is never there. */
const SMALL = new Set(['chain_states', 'wallet_scans', 'assertions'])

/** What a plan looks through from one end to the other, with no index to say where to begin. */
function scans(d1: MemoryD1, sql: string): string[] {
  const tables = new Set(d1.rows(`SELECT name FROM sqlite_master WHERE type = 'table'`).map(({ name }) => String(name)))
  const aliases = new Map(
    [...sql.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?/gi)].map((match) => [
      match[2] ?? '',
      match[1] ?? '',
    ]),
  )
  return d1.rows(`EXPLAIN QUERY PLAN ${sql}`).flatMap(({ detail }) => {
    const [, name = ''] = /^SCAN (\w+)/.exec(String(detail)) ?? []
    const table = tables.has(name) ? name : (aliases.get(name) ?? '')
    return name !== '' && tables.has(table) && !SMALL.has(table) ? [String(detail)] : []
  })
}

it('looks through no table that grows, in any statement of uploading, paying and writing', async () => {
  const d1 = new MemoryD1()
  const statements = new Set<string>()
  const prepare = MemoryD1.prototype.prepare
  vi.spyOn(MemoryD1.prototype, 'prepare').mockImplementation(function (this: MemoryD1, sql: string) {
    statements.add(sql)
    return prepare.call(this, sql)
  })
  for (let seed = 1; seed <= 30; seed++) await runSeed(seed)
  expect(statements.size).toBeGreaterThan(80)
  const scanning = [...statements].flatMap((sql) =>
    scans(d1, sql).map((detail) => `${detail}: ${sql.replace(/\s+/g, ' ')}`),
  )
  expect(scanning).toEqual([])
})
