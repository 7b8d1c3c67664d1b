import { describe, expect, it } from 'vitest'
import type { Mutant } from '../mutants/switch-mutants.ts'
import type { FileEnd, FileRun } from '../mutants/test-runner.ts'
import { type Trial, tryMutants } from '../mutants/try-mutants.ts'
import { fileEnd, testEnd } from './file-ends.ts'

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
