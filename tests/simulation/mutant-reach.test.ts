import { describe, expect, it } from 'vitest'
import { Reach } from '../mutants/reach.ts'
import { listMutants, type Mutant, switchMutants } from '../mutants/switch-mutants.ts'
import type { FileEnd, FileRun, TestEnd } from '../mutants/test-runner.ts'
import { type Trial, tryMutants } from '../mutants/try-mutants.ts'

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

function testEnd(name: string, { state = 'passed', ms = 1, reached = [] }: Partial<TestEnd> = {}): TestEnd {
  return { name, state, ms, reached }
}
function fileEnd(path: string, tests: TestEnd[], imported: string[] = []): FileEnd {
  return { path, failed: tests.some(({ state }) => state === 'failed'), error: undefined, tests, imported }
}

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

/** Runs tests that fail as `fails` says, and notes each list of what is run. */
class FakeRunner {
  readonly rounds: string[][] = []
  readonly #fails: (test: string, mutant: string | undefined) => boolean
  readonly #stuck: string | undefined

  constructor(fails: (test: string, mutant: string | undefined) => boolean, stuck?: string) {
    this.#fails = fails
    this.#stuck = stuck
  }

  async run(files: readonly FileRun[], onEnded: (file: FileEnd) => void): Promise<string | undefined> {
    this.rounds.push(files.map(({ path, planned }) => `${path.replace(/\?.*/, '')} ${planned?.mutant ?? 'none'}`))
    for (const { path, planned } of files) {
      const { mutant, tests = [] } = planned ?? {}
      if (mutant !== undefined && mutant === this.#stuck) return path
      const ends = tests.map((name) => testEnd(name, { state: this.#fails(name, mutant) ? 'failed' : 'passed' }))
      const isImported = !this.#fails(`import of ${path}`, mutant)
      onEnded(isImported ? fileEnd(path, ends) : { ...fileEnd(path, []), failed: true, error: 'not imported' })
    }
    return undefined
  }
}

function trial(id: string, files: readonly string[], isImported = false): Trial {
  const mutant: Mutant = {
    id,
    operator: 'constant changed',
    path: 's.ts',
    line: 1,
    start: 0,
    end: 1,
    text: '',
    inSql: false,
  }
  return { mutant, isImported, groups: files.map((path) => ({ path, tests: [`test of ${path}`], ms: 1 })) }
}

async function outcomes(runner: FakeRunner, trials: Trial[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const left = trials.values()
  await tryMutants(
    runner,
    () => left.next().value,
    ({ id }, { outcome }) => Object.assign(found, { [id]: outcome }),
  )
  return found
}

describe('mutants in one workerd', () => {
  it('are caught by a test that fails with them and passes without, and otherwise survive', async () => {
    const runner = new FakeRunner((_, mutant) => mutant === 'one')
    expect(await outcomes(runner, [trial('one', ['a']), trial('two', ['a', 'b']), trial('three', [])])).toEqual({
      one: 'caught',
      two: 'survived',
      three: 'survived',
    })
    expect(runner.rounds).toEqual([['a one', 'a two', 'b two'], ['a none']])
  })

  it('are caught where a test file is not imported with them, and is without', async () => {
    const runner = new FakeRunner((test, mutant) => test === 'import of a?1' && mutant === 'one')
    expect(await outcomes(runner, [trial('one', ['a']), trial('two', ['a'])])).toEqual({
      one: 'caught',
      two: 'survived',
    })
    expect(runner.rounds).toEqual([['a one', 'a two'], ['a none']])
  })

  it('are caught by no test that fails by itself, too', async () => {
    const runner = new FakeRunner((test, mutant) => test === 'test of a' || (test === 'test of b' && mutant === 'two'))
    expect(await outcomes(runner, [trial('one', ['a']), trial('two', ['a', 'b'])])).toEqual({
      one: 'survived',
      two: 'caught',
    })
  })

  it('are caught where a test never ends, which says nothing of the others', async () => {
    const runner = new FakeRunner(() => false, 'two')
    const found = await outcomes(runner, [trial('one', ['a']), trial('two', ['a']), trial('three', ['a'])])
    expect(found).toEqual({ one: 'survived', two: 'caught', three: 'survived' })
  })

  it('have one of their own where they are made when modules are imported', async () => {
    const runner = new FakeRunner(() => false)
    await outcomes(runner, [trial('one', ['a']), trial('two', ['a'], true), trial('three', ['a'])])
    expect(runner.rounds).toEqual([['a one'], ['a two'], ['a three']])
  })
})
