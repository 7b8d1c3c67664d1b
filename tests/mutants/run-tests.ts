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

/** Whether the answers name the functions that each file ran. */
let map = false
const reporter = {
  onTestModuleEnd: (module: TestModule) => {
    const { reached, imported } = module.meta()
    say({ ended: module.relativeModuleId, ...(map && { passed: module.ok(), reached, imported }) })
  },
}
// Messages of workerd would be between the answers.
console.log = console.error
const config = join(import.meta.dirname, 'vitest.config.ts')
const vitest = await createVitest('test', { config, root, watch: false, reporters: [reporter] })

/** The first test that failed, or a file whose import did; what failed outside of all tests counts, too. */
function findFailed(modules: readonly TestModule[], errors: readonly unknown[]): string | undefined {
  // Files behind a test that failed are not imported, and fail for that.
  const tested = modules.filter(({ children }) => children.size > 0)
  for (const module of [...tested, ...modules]) {
    for (const test of module.children.allTests('failed')) {
      const [error] = test.result().errors ?? []
      return `${module.relativeModuleId}: ${test.fullName} (${error?.message.split('\n', 1)[0]?.slice(0, 100)})`
    }
    if (module.state() === 'failed') return `${module.relativeModuleId}: ${module.errors()[0]?.message ?? 'a hook'}`
  }
  return errors.length === 0 ? undefined : `outside of a test: ${errors[0]}`
}

interface Request {
  /** The source that has changed. */
  path?: string
  /** Folders and files of tests, the nearest first. */
  tests: string[]
  /** Those of them that are to run, if not all. */
  files?: string[]
  map?: boolean
}

/** The source of the last run, which has changed back since. */
let before: string | undefined

say({ ready: true })
for await (const line of createInterface(process.stdin)) {
  const { path, tests, files = tests, ...asked }: Request = JSON.parse(line)
  map = asked.map === true
  process.env.MUTANT_TESTS = tests.join()
  for (const changed of new Set([path ?? before, before ?? path]))
    if (changed !== undefined) vitest.invalidateFile(join(root, changed))
  before = path
  vitest.state.clearErrors()
  const specifications = await vitest.globTestSpecifications(files.map((name) => `tests/worker/${name}`))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  // What other runs found is kept beside, and given again.
  const wanted = new Set(specifications.map(({ moduleId }) => moduleId))
  const own = testModules.filter(({ moduleId }) => wanted.has(moduleId))
  say({ failed: findFailed(own, unhandledErrors) ?? null })
}
await vitest.close()
process.exit(0)
