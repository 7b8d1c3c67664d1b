import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { workerProjects } from '../../vitest.worker.ts'
import { readSources } from './sources.ts'
import { switchMutants } from './switch-mutants.ts'

const root = join(import.meta.dirname, '../..')
const mutated = new Set(readSources(root).map(({ path }) => join(root, path)))
const switchAll: Plugin = {
  name: 'switch-mutants',
  enforce: 'pre',
  transform: (code, id) =>
    mutated.has(id) ? { code: switchMutants(id.slice(root.length + 1), code), map: null } : undefined,
}

/** Files run in the order in which they are asked for. */
class AsAsked extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
  }
}

/** The Worker's tests, with all mutations in the sources: which of them is made `set-mutant.ts` says. */
export default defineConfig({
  root,
  test: {
    maxWorkers: 1,
    sequence: { sequencer: AsAsked },
    projects: workerProjects.map(({ test, ...project }) => ({
      ...project,
      plugins: [switchAll, ...(project.plugins ?? [])],
      test: {
        ...test,
        provide: { plan: {} },
        setupFiles: ['tests/mutants/set-mutant.ts', ...[test?.setupFiles ?? []].flat()],
        // The longest test takes 9 s; what waits for something that a mutant has lost would wait for a minute.
        testTimeout: 30_000,
        hookTimeout: 30_000,
        expect: { poll: { timeout: 5_000 } },
      },
    })),
  },
})
