import { describe, expect, it } from 'vitest'
import { drawMutants } from '../mutants/draw-mutants.ts'
import { findMutations } from '../mutants/find-mutations.ts'
import { GUARDS, mutate, OPERATORS, type Operator } from '../mutants/mutation.ts'
import { findSqlConditions } from '../mutants/sql-conditions.ts'

function mutants(source: string): string[] {
  return described(source, OPERATORS)
}

function described(source: string, operators: readonly Operator[]): string[] {
  return findMutations('a.ts', source)
    .filter(({ operator }) => operators.includes(operator))
    .map((mutation) => `${mutation.operator}: ${mutate(source, mutation)}`)
}

describe('mutants', () => {
  it('flip comparisons', () => {
    expect(mutants('f(a < b)')).toEqual(['comparison flipped: f(a >= b)'])
    expect(mutants("f(a.b !== 'x')")).toEqual(["comparison flipped: f(a.b === 'x')"])
  })

  it('lose an await, or repeat it', () => {
    const source = 'async function f() { await g(x); return await h() }'
    expect(mutants(source)).toEqual([
      'await repeated or lost: async function f() { (await g(x), await g(x)); return await h() }',
      'await repeated or lost: async function f() { undefined; return await h() }',
      'await repeated or lost: async function f() { await g(x); return (await h(), await h()) }',
    ])
  })

  it('repeat no await that only reads', () => {
    expect(mutants('async () => await ledgerPage(db)')).toEqual([])
    expect(mutants('async () => [await readTip(db), await db.prepare(sql).bind(1).first()]')).toEqual([
      'constant changed: async () => [await readTip(db), await db.prepare(sql).bind(2).first()]',
    ])
    expect(mutants('async () => await isolate()')).toHaveLength(1)
    expect(mutants("async () => [await begun, await import('./a.ts')]")).toEqual([])
  })

  it('repeat nothing that leaves the same when it is done twice', () => {
    const changes = (call: string) => mutants(`async () => { await ${call} }`).length
    expect(changes('bucket.delete(key)')).toBe(1)
    expect(changes('upload.abort().catch(say)')).toBe(1)
    expect(changes('send().catch(say)')).toBe(2)
    expect(changes(`db.prepare(\`UPDATE t SET a = \${STATE}, b = NULL WHERE c = ?\`).bind(c).run()`)).toBe(2)
    expect(changes("db.prepare('DELETE FROM t WHERE a = ?').bind(a).run()")).toBe(2)
    expect(changes("db.prepare('UPDATE t SET a = ?, b = NULL WHERE c = ?').bind(a, c).run()")).toBe(2)
    expect(changes("db.batch([db.prepare('DELETE FROM t'), db.prepare('UPDATE t SET a = ?').bind(a)])")).toBe(1)
    expect(changes("db.batch([db.prepare('DELETE FROM t'), db.prepare('UPDATE t SET a = a + 2')])")).toBe(3)
    expect(changes("db.prepare('UPDATE t SET a = a + b WHERE c = ?').bind(c).run()")).toBe(3)
    expect(changes("db.prepare('DELETE FROM t WHERE a IN (SELECT a FROM t LIMIT ?)').bind(a).run()")).toBe(3)
    expect(
      mutants("async () => { const { meta } = await db.prepare('DELETE FROM t WHERE a = ?').run() }"),
    ).toHaveLength(2)
  })

  it('change no constant of SQL that nobody reads', () => {
    expect(mutants("db('SELECT EXISTS (SELECT 1 FROM t) AS n')")).toEqual([])
    expect(mutants("db('SELECT a FROM t ORDER BY a LIMIT 1').first()")).toEqual([])
    expect(mutants("db('SELECT a FROM t ORDER BY a LIMIT 1').all()")).toHaveLength(1)
  })

  it('take a condition of a template whole, with its expressions', () => {
    expect(mutants(`db(\`DELETE FROM t WHERE own.\${LIVE} AND a < (SELECT \${b(1)})\`)`)).toEqual([
      `SQL condition dropped: db(\`DELETE FROM t WHERE ((own.\${LIVE}) OR true) AND a < (SELECT \${b(1)})\`)`,
      `SQL condition dropped: db(\`DELETE FROM t WHERE own.\${LIVE} AND ((a < (SELECT \${b(1)})) OR true)\`)`,
      `constant changed: db(\`DELETE FROM t WHERE own.\${LIVE} AND a < (SELECT \${b(2)})\`)`,
    ])
  })

  it('change constants, but no types and no log', () => {
    expect(mutants('const a: 1 | 2 = 1, b = 2n, c = true')).toEqual([
      'constant changed: const a: 1 | 2 = 2, b = 2n, c = true',
      'constant changed: const a: 1 | 2 = 1, b = 3n, c = true',
      'constant changed: const a: 1 | 2 = 1, b = 2n, c = false',
    ])
    expect(mutants('console.warn(1 < 2)')).toEqual([])
  })

  it('drop conditions of SQL and keep its parameters', () => {
    expect(mutants("db('SELECT a FROM t WHERE b = ? AND c IN (SELECT 1 WHERE d) ORDER BY e')")).toEqual([
      "SQL condition dropped: db('SELECT a FROM t WHERE ((b = ?) OR true) AND c IN (SELECT 1 WHERE d) ORDER BY e')",
      "SQL condition dropped: db('SELECT a FROM t WHERE b = ? AND ((c IN (SELECT 1 WHERE d)) OR true) ORDER BY e')",
      "constant changed: db('SELECT a FROM t WHERE b = ? AND c IN (SELECT 2 WHERE d) ORDER BY e')",
      "SQL condition dropped: db('SELECT a FROM t WHERE b = ? AND c IN (SELECT 1 WHERE ((d) OR true)) ORDER BY e')",
    ])
  })

  it('know where a condition ends', () => {
    const parts = (sql: string) => findSqlConditions(sql).map(({ start, end }) => sql.slice(start, end))
    expect(parts("UPDATE t SET a = 1 WHERE b = 'x AND y' AND (c OR d)")).toEqual(["b = 'x AND y'", '(c OR d)'])
    expect(parts('SELECT 1 FROM t JOIN u ON t.a = u.a WHERE b BETWEEN 1 AND 2 LIMIT 1')).toEqual([
      't.a = u.a',
      'b BETWEEN 1 AND 2',
    ])
    expect(parts('INSERT INTO t SELECT 1 WHERE true ON CONFLICT DO NOTHING')).toEqual([])
  })

  it('leave out what guards, where that is asked for', () => {
    const guards = (source: string) => described(source, GUARDS)
    expect(guards('for (;;) { if (a) continue; if (b) { f(); throw c } if (d) f(); else break }')).toEqual([
      'guard dropped: for (;;) { if ((a) && false) continue; if (b) { f(); throw c } if (d) f(); else break }',
      'guard dropped: for (;;) { if (a) continue; if ((b) && false) { f(); throw c } if (d) f(); else break }',
    ])
    expect(guards('requireOpen(a); f(requireOpen(a))')).toEqual(['guard dropped: undefined; f(requireOpen(a))'])
    expect(guards('f(a && b, c ?? d)')).toEqual(['operand dropped: f((a), c ?? d)', 'operand dropped: f((b), c ?? d)'])
    expect(guards('db.batch([a, ...endStatements(b), c.payStatement()])')).toEqual([
      'statement dropped: db.batch([a, ...[], c.payStatement()])',
      'statement dropped: db.batch([a, ...endStatements(b), ...[]])',
    ])
    expect(guards('a.b().filter(isOpen).map(c)')).toEqual(['filter dropped: a.b().map(c)'])
  })

  it('are drawn by a seed, each operator as often as the other, each place once', () => {
    const source = `${'f(1);'.repeat(200)}${'f(a < b);'.repeat(60)}async () => { ${'await g();'.repeat(30)} }`
    const all = findMutations('a.ts', source)
    const first = [...drawMutants(all, 7, OPERATORS)]
    expect(first).toEqual([...drawMutants(all, 7, OPERATORS)])
    expect(first).not.toEqual([...drawMutants(all, 8, OPERATORS)])
    expect(new Set(first).size).toBe(all.length)
    const early = first.slice(0, 90)
    const counts = OPERATORS.filter((one) => one !== 'SQL condition dropped').map(
      (operator) => early.filter((mutation) => mutation.operator === operator).length,
    )
    for (const count of counts) expect(count).toBeGreaterThan(15)
  })
})
