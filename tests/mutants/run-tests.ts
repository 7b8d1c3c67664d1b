import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestModule } from 'vitest/node'
import { createVitest } from 'vitest/node'

/**
 * Runs tests of the Worker again and again in one process, so that what did not change is not transformed anew. Each line
 * of the input is JSON, `{path, tests}`: the source that changed, or changed back, since the last run, and what to run, the
 * nearest first. Answers with a line for each test file that ended, and at the end with `{failed}`: the name of the first
 * test that failed, or nothing.
 */
const root = process.cwd()
const say = (answer: Record<string, unknown>): void => void process.stdout.write(`${JSON.stringify(answer)}\n`)

const reporter = { onTestModuleEnd: ({ moduleId }: TestModule) => say({ ended: moduleId }) }
// Messages of workerd would be between the answers.
console.log = console.error
const config = join(import.meta.dirname, 'vitest.config.ts')
const vitest = await createVitest('test', { config, root, watch: false, reporters: [reporter] })

/** The first test that failed; what failed outside of all tests counts, too. */
function findFailed(modules: readonly TestModule[], errors: readonly unknown[]): string | undefined {
  for (const module of modules) {
    for (const test of module.children.allTests('failed')) return `${module.relativeModuleId}: ${test.fullName}`
    if (module.state() === 'failed') return `${module.relativeModuleId}: ${module.errors()[0]?.message ?? 'a hook'}`
  }
  return errors.length === 0 ? undefined : `outside of a test: ${errors[0]}`
}

/** The source of the last run, which has changed back since. */
let before: string | undefined

say({ ready: true })
for await (const line of createInterface(process.stdin)) {
  const { path, tests }: { path: string; tests: string[] } = JSON.parse(line)
  process.env.MUTANT_TESTS = tests.join()
  for (const changed of new Set([path, before ?? path])) vitest.invalidateFile(join(root, changed))
  before = path
  vitest.state.clearErrors()
  const specifications = await vitest.globTestSpecifications(tests.map((name) => `tests/worker/${name}`))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  // What other runs found is kept beside, and given again.
  const wanted = new Set(specifications.map(({ moduleId }) => moduleId))
  const own = testModules.filter(({ moduleId }) => wanted.has(moduleId))
  say({ failed: findFailed(own, unhandledErrors) ?? null })
}
await vitest.close()
process.exit(0)
