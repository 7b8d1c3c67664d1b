import { describe, expect, it } from 'vitest'
import { listMutants, switchMutants } from '../mutants/switch-mutants.ts'

/** What a source returns that has all of its mutations, while the one with this number is made. */
function resultOf(source: string, made: number): unknown {
  globalThis.isMutated = (id) => id === `a.ts#${made}`
  return new Function('g', switchMutants('a.ts', source).replace('export default', 'return'))((value: unknown) => value)
}
const resultsOf = (source: string) => [-1, ...listMutants('a.ts', source).keys()].map((made) => resultOf(source, made))

describe('a source with all of its mutations', () => {
  it('makes the one that is switched on, and no other', () => {
    expect(resultsOf('export default [3 < g(4), 1n]')).toEqual([
      [true, 1n],
      [false, 1n],
      [false, 1n],
      [true, 1n],
      [true, 2n],
    ])
  })

  it('makes one inside of another', () => {
    expect(resultsOf('export default (1 < 2) === true')).toEqual([true, false, false, true, false, false])
  })

  it('goes on with what stands behind ?. only where there is something', () => {
    const source = 'const list = g(undefined)\nexport default list?.filter(Boolean).length'
    expect(resultOf(source, -1)).toBeUndefined()
  })

  it('begins no statement with a bracket, which would call what stands before', () => {
    const source = 'let n = g(0)\nconst f = async () => {\n  const h = g\n  await n++\n}\nf()\nexport default n'
    expect(resultsOf(source)).toEqual([1, 2, 1, 0])
  })

  it('leaves out an element or a condition', () => {
    const source =
      'const aStatement = () => 5\nconst f = () => { if (g(7)) return [aStatement()]\n return 0 }\nexport default f()'
    expect(resultsOf(source)).toEqual([[5], [6], 0, [5], [], [5]])
  })

  it('asks for a mutation only where it is reached', () => {
    const asked: string[] = []
    globalThis.isMutated = (id) => asked.push(id) < 0
    new Function(switchMutants('a.ts', 'const f = () => 1; const g = () => 2; g()'))()
    expect(asked).toEqual(['a.ts#1'])
  })
})
