import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { COST_PAGE, withCosts } from '../../scripts/cost/cost-document.ts'
import { monthOf, totalOf } from '../../scripts/cost/month.ts'
import type { Metered, Usage } from '../../scripts/cost/usage.ts'

it('the tables of docs/operate/cost.md have what was metered; npm run docs:cost writes them', () => {
  const page = readFileSync(COST_PAGE, 'utf8')
  expect(withCosts(page)).toBe(page)
  expect(() => withCosts('no place')).toThrow('has no place')
})

describe('a month', () => {
  const nothing: Usage = {
    requests: 0,
    cpuMs: 0,
    statements: 0,
    rowsRead: 0,
    rowsWritten: 0,
    classA: 0,
    classB: 0,
    objectRequests: 0,
    objectMs: 0,
    objectRowsRead: 0,
    objectRowsWritten: 0,
  }
  const metered: Metered = {
    itemBytes: 1,
    idle: nothing,
    waiting: nothing,
    item: nothing,
    cold: nothing,
    warm: nothing,
  }
  const costsOf = (lines: ReturnType<typeof monthOf>) =>
    lines.filter(({ cost }) => cost > 0).map(({ name, cost }) => [name, cost])

  it('costs what is fixed where nothing is used', () => {
    expect(totalOf(monthOf(metered, { state: 'idle', items: 0, warm: 0, cold: 0 }))).toBe(15)
  })

  it('has the seconds of 30 days, and the acts of each day, less what is included', () => {
    const idle = { ...nothing, rowsWritten: 100 }
    const lines = monthOf(
      { ...metered, idle, item: { ...nothing, classA: 2_000 } },
      { state: 'idle', items: 50, warm: 0, cold: 0 },
    )
    // 100 x 2,592,000 - 50 million at a dollar; 2,000 x 50 x 30 - 1 million at 4.50.
    expect(costsOf(lines)).toEqual([
      ['Rows of D1: written', 209.2],
      ['R2: class A (puts, parts, lists)', 9],
    ])
  })

  it('counts each read as a request, from memory or from the bucket', () => {
    const read = { ...nothing, requests: 1 }
    const lines = monthOf(
      { ...metered, warm: read, cold: { ...read, classB: 1 } },
      { state: 'idle', items: 0, warm: 1e6, cold: 1e6 },
    )
    expect(costsOf(lines)).toEqual([
      ['Worker: requests', 15],
      ['R2: class B (gets)', 7.2],
    ])
  })

  it('has the seconds that objects run, at 128 MB', () => {
    const lines = monthOf(
      { ...metered, idle: { ...nothing, objectMs: 3_000 } },
      { state: 'idle', items: 0, warm: 0, cold: 0 },
    )
    const [, cost] = costsOf(lines)[0] ?? []
    expect(cost).toBeCloseTo((3 * 2_592_000 * 0.128 - 400_000) * 12.5e-6, 6)
  })
})
