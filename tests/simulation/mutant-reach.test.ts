import { describe, expect, it } from 'vitest'
import { Reach } from '../mutants/reach.ts'
import { fileEnd, testEnd } from './file-ends.ts'

describe('the tests that a mutant is tried with', () => {
  const reach = new Reach()
  reach.add(fileEnd('near/a.test.ts', [testEnd('one', { reached: ['s.ts#1', 's.ts#2'] }), testEnd('two')], ['s.ts#3']))
  reach.add(fileEnd('far/b.test.ts', [testEnd('three', { reached: ['s.ts#1'] }), testEnd('four', { state: 'failed' })]))
  reach.add(fileEnd('near/c.test.ts', [testEnd('five', { reached: ['s.ts#1'], ms: 900 })]))
  const tests = (id: string) => {
    const { short, long } = new Reach(reach.toJSON()).groupsFor({ path: 's.ts', id }, ['near'])
    return [...short, ...long].flatMap((group) => group.tests)
  }

  it('are those that reach it: first the short ones, and of these those that are near', () => {
    expect(tests('s.ts#1')).toEqual(['one', 'three', 'five'])
    expect(tests('s.ts#2')).toEqual(['one'])
    expect(tests('s.ts#4')).toEqual([])
  })

  it('are all that are near, or reach its source, where it is made when that is imported', () => {
    expect(reach.isImported('s.ts#3')).toBe(true)
    expect(tests('s.ts#3')).toEqual(['one', 'two', 'three', 'five'])
  })
})
