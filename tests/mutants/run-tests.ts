import { join } from 'node:path'
import type { TestCase, TestModule } from 'vitest/node'
import { createVitest } from 'vitest/node'
import type { FileEnd, FileRun } from './test-runner.ts'

/**
 * Runs test files of the Worker for as long as its parent sends some, each list in one workerd, so that what nobody has
 * changed is transformed once. Sends the path of each file that begins, what became of it, and `done` after the last.
 */
const root = process.cwd()
const say = (message: unknown): void => void process.send?.(message)
const pathOf = ({ moduleId }: TestModule): string => moduleId.split('/tests/worker/')[1] ?? ''

function describeTest(test: TestCase) {
  const { state, errors } = test.result()
  const error = errors?.[0]?.message.split('\n', 1)[0]?.slice(0, 200)
  return { name: test.fullName, state, error, ms: test.diagnostic()?.duration ?? 0, reached: test.meta().reached ?? [] }
}

function describeFile(module: TestModule): FileEnd {
  const tests = [...module.children.allTests()].map(describeTest)
  // Of a file that was not imported, or a hook.
  const error = module.errors()[0]?.message.slice(0, 200)
  return {
    path: pathOf(module),
    failed: module.state() === 'failed',
    error,
    tests,
    imported: module.meta().imported ?? [],
  }
}

const reporter = {
  onTestModuleStart: (module: TestModule) => say({ began: pathOf(module) }),
  onTestModuleEnd: (module: TestModule) => say({ ended: describeFile(module) }),
}
const config = join(import.meta.dirname, 'vitest.config.ts')
const vitest = await createVitest('test', { config, root, watch: false, reporters: [reporter] })
const [project] = vitest.projects
if (!project) throw new Error('There is no project of the Worker')

process.on('message', async (files: FileRun[]) => {
  const specifications = files.map(({ path }) => project.createSpecification(join(root, 'tests/worker', path)))
  project.provide('plan', Object.fromEntries(files.flatMap(({ path, planned }) => (planned ? [[path, planned]] : []))))
  await vitest.runTestSpecifications(specifications)
  // What is kept of each file is not asked for again.
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  say({ done: true })
})
say({ done: true })
