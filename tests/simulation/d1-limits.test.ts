import { describe, expect, it } from 'vitest'
import { checkInvocation, checkResult, checkStatement, valueBytes } from '../kit/in-process/d1-limits.ts'
import { MemoryD1 } from '../kit/in-process/memory-d1.ts'

const SELECT = 'SELECT ?1 AS a'
const shared = new MemoryD1()

describe('the limits of D1', () => {
  it.each([
    ['100 parameters', Array(100).fill(1), Array(101).fill(1)],
    ['2 MB a value', ['a'.repeat(2_000_000)], ['a'.repeat(2_000_001)]],
    ['2 MB of UTF-8 a text', ['é'.repeat(1_000_000)], ['é'.repeat(1_000_001)]],
    ['2 MB a blob', [new ArrayBuffer(2_000_000)], [new ArrayBuffer(2_000_001)]],
  ])('allow %s and no more', (_, allowed, refused) => {
    expect(checkStatement({ sql: SELECT, values: allowed })).toBeUndefined()
    expect(checkStatement({ sql: SELECT, values: refused })).toMatch(/too (?:many|big)/)
  })

  it('allow a statement of 100,000 bytes and no more', () => {
    const sql = (length: number) => `SELECT '${'a'.repeat(length - 9)}'`
    expect(checkStatement({ sql: sql(100_000), values: [] })).toBeUndefined()
    expect(checkStatement({ sql: sql(100_001), values: [] })).toBe('statement too long: 100001 of 100000 bytes')
  })

  it('allow 2 MB an inserted row, a row read, and a result', () => {
    const insert = 'INSERT INTO t VALUES (?1, ?2)'
    const half = 'a'.repeat(1_000_000)
    expect(checkStatement({ sql: insert, values: [half, half] })).toBeUndefined()
    expect(checkStatement({ sql: insert, values: [half, `${half}a`] })).toMatch(/row/)
    expect(checkStatement({ sql: SELECT, values: [half, `${half}a`] })).toBeUndefined()
    expect(checkResult([{ a: half }, { a: half }])).toBeUndefined()
    expect(checkResult([{ a: half, b: `${half}a` }])).toMatch(/^row too big/)
    expect(checkResult([{ a: half }, { a: `${half}a` }])).toMatch(/^result too big/)
  })

  it('allow a pattern of 50 bytes', () => {
    const values = (length: number) => ['x', 'a'.repeat(length)]
    expect(checkStatement({ sql: 'SELECT 1 WHERE ?1 LIKE ?2', values: values(50) })).toBeUndefined()
    expect(checkStatement({ sql: 'SELECT 1 WHERE ?1 GLOB ?2', values: values(51) })).toMatch(/pattern/)
  })

  it('allow 1,000 statements an invocation', () => {
    expect(checkInvocation(990, 10)).toBeUndefined()
    expect(checkInvocation(990, 11)).toMatch(/^too many D1 queries/)
  })

  it('count what a value takes', () => {
    expect([valueBytes('é'.repeat(30)), valueBytes(1), valueBytes(null), valueBytes(new Uint8Array(3))]).toEqual([
      60, 8, 0, 3,
    ])
  })

  it('hold in the D1 of the simulation', async () => {
    const d1 = new MemoryD1()
    await expect(d1.prepare(SELECT).bind('a'.repeat(2_000_001)).all()).rejects.toThrow(
      /^D1_ERROR: string or blob too big/,
    )
    await expect(
      d1
        .prepare(SELECT)
        .bind(...Array(101).fill(1))
        .all(),
    ).rejects.toThrow(/^D1_ERROR: too many SQL variables/)
    const large = d1.prepare(`SELECT hex(zeroblob(1000001)) AS a`)
    await expect(large.all()).rejects.toThrow(/^D1_ERROR: row too big/)
    const invocation = {}
    d1.invocation = () => invocation
    await d1.batch(Array.from({ length: 1_000 }, () => d1.prepare('SELECT 1 AS a')))
    await expect(d1.prepare('SELECT 1 AS a').all()).rejects.toThrow(/^D1_ERROR: too many D1 queries/)
    d1.invocation = () => ({})
    expect((await d1.prepare('SELECT 1 AS a').all()).results).toEqual([{ a: 1 }])
  })

  it.each([
    ['SELECT value FROM json_each(?) LIMIT ?', ['[1,2,3]', 2], [1, 2]],
    ['SELECT value FROM json_each(?1) WHERE value > ?3 LIMIT ?2', ['[1,2,3]', 1, 1], [2]],
    ['SELECT value FROM json_each(?3) WHERE value >= ?1 LIMIT ?2', [2, 1, '[1,2,3]'], [2]],
    ['SELECT value FROM (SELECT value FROM json_each(?1) LIMIT ?2) WHERE value < ?2', ['[1,2,3]', 2], [1]],
    ['SELECT value FROM (SELECT value FROM json_each(?) LIMIT ?) WHERE value < ?', ['[1,2,3]', 3, 3], [1, 2]],
    ['SELECT value FROM json_each(?12) WHERE value > ?1 LIMIT ?2', [1, 1, ...Array(9).fill(0), '[1,2,3]'], [2]],
  ])('take a LIMIT at any place: %s', async (sql, values, found) => {
    const { results } = await shared
      .prepare(sql)
      .bind(...values)
      .all<{ value: number }>()
    expect(results.map(({ value }) => value)).toEqual(found)
  })
})
