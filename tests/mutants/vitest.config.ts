import { join } from 'node:path'
import { configDefaults, defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { workerProjects } from '../../vitest.worker.ts'
import { noteReached } from './find-functions.ts'
import { readSources } from './sources.ts'

const root = join(import.meta.dirname, '../..')

/** What is nearest to the mutant runs first, and of that the shortest: the first that fails ends the run. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Folders and files of tests in the order in which they are to run: another one for each mutant.
    const order = (process.env.MUTANT_TESTS ?? '').split(',')
    const rankOf = ({ moduleId }: TestSpecification) => {
      const at = order.findIndex((name) => moduleId.includes(`/tests/worker/${name}`))
      return at < 0 ? order.length : at
    }
    const longestFirst = await super.sort(files)
    return longestFirst.reverse().sort((a, b) => rankOf(a) - rankOf(b))
  }
}

const mutated = new Set(readSources(root).map(({ path }) => join(root, path)))
/** Notes which functions of the sources that are mutated a test file runs: others need not be asked about their mutants. */
const noteFunctions: Plugin = {
  name: 'note-functions',
  enforce: 'pre',
  transform: (code, id) =>
    mutated.has(id) ? { code: noteReached(id.slice(root.length + 1), code), map: null } : undefined,
}

/** The Worker's tests for one mutant: beside another mutant on the same machine, so they may take longer. */
export default defineConfig({
  root,
  test: {
    maxWorkers: 1,
    bail: 1,
    sequence: { sequencer: NearestFirst },
    projects: workerProjects.map(({ test, ...project }) => ({
      ...project,
      plugins: [noteFunctions, ...(project.plugins ?? [])],
      test: {
        ...test,
        setupFiles: ['tests/mutants/report-reached.ts', ...[test?.setupFiles ?? []].flat()],
        testTimeout: 120_000,
        hookTimeout: 120_000,
        // As slow as the others together, and tests nothing that they don't.
        exclude: [...configDefaults.exclude, 'tests/worker/features/writer/write-large.heavy.test.ts'],
      },
    })),
  },
})
