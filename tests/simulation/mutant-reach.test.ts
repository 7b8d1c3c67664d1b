import { describe, expect, it } from 'vitest'
import { noteReached, reachedName } from '../mutants/find-functions.ts'
import { Reach } from '../mutants/reach.ts'
import { hasRun } from '../mutants/seed-coverage.ts'

describe('the tests that a mutant is tried with', () => {
  it('are found by functions that note that they ran', () => {
    const source = 'const f = (a: number) => () => a + 1\nfunction g() { return { h() {} } }'
    expect(noteReached('a.ts', source)).toBe(
      "const f = (a: number) => (globalThis.reached?.add('a.ts:10'), () => (globalThis.reached?.add('a.ts:25'), a + 1))\n" +
        "function g() {globalThis.reached?.add('a.ts:37'); return { h() {globalThis.reached?.add('a.ts:62');} } }",
    )
  })

  it('have run the innermost function around the place that is changed', () => {
    const source = 'const f = (a: number) => () => a + 1; f(2)'
    expect(reachedName('a.ts', source, source.indexOf('1'))).toBe('a.ts:25')
    expect(reachedName('a.ts', source, source.indexOf('2'))).toBeUndefined()
  })

  it('are all that run it, first those nearest to it', () => {
    const reach = new Reach()
    reach.add('near/a.test.ts', ['s.ts:1', 's.ts:2'], ['s.ts:2'])
    reach.add('near/b.test.ts', [], [])
    reach.add('far/c.test.ts', ['s.ts:1', 's.ts:3'], [])
    reach.add('far/d.test.ts', ['t.ts:1'], [])
    const files = ['far/c.test.ts', 'far/d.test.ts', 'near/a.test.ts', 'near/b.test.ts']
    const near = (name: string | undefined) => reach.filesFor({ path: 's.ts', name, tests: ['near'] }, files)
    expect(near('s.ts:1')).toEqual(['near/a.test.ts', 'far/c.test.ts'])
    expect(near('s.ts:3')).toEqual(['far/c.test.ts'])
    expect(near('s.ts:4')).toEqual([])
    // What runs when it is imported, or outside of functions, each file may depend on that runs something of the source.
    const all = ['near/a.test.ts', 'near/b.test.ts', 'far/c.test.ts']
    expect([near('s.ts:2'), near(undefined)]).toEqual([all, all])
  })

  it('are all of the nearest where one is not known', () => {
    const files = ['near/a.test.ts', 'far/b.test.ts']
    expect(new Reach().filesFor({ path: 's.ts', name: 's.ts:1', tests: ['near'] }, files)).toEqual(['near/a.test.ts'])
  })

  it('are preceded by seeds where those run the place', () => {
    const whole = { startOffset: 0, endOffset: 100, count: 1 }
    const coverage = { 'a.ts': [whole, { startOffset: 10, endOffset: 20, count: 0 }] }
    expect([5, 10, 19, 20].map((at) => hasRun(coverage, 'a.ts', at))).toEqual([true, false, false, true])
    expect(hasRun(coverage, 'b.ts', 5)).toBe(false)
  })
})
