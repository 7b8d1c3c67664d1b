import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/**
 * Lists the flaky tests, which failed and passed when repeated, with their errors: each is to be fixed. The files in
 * which something failed are written to the file `FAILED_FILES`, one a line, for `.ci/run`.
 */
export default class ReportRetries implements Reporter {
  readonly #retried: TestCase[] = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#retried.push(test)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const failed = modules.filter((module) => !module.ok()).map(({ relativeModuleId }) => relativeModuleId)
    if (process.env.FAILED_FILES) writeFileSync(process.env.FAILED_FILES, failed.map((file) => `${file}\n`).join(''))
    for (const test of this.#retried) {
      const [failure] = test.result().errors ?? []
      console.error(`Passed only when repeated: ${test.module.relativeModuleId} > ${test.fullName}`)
      console.error(`  ${failure?.stack ?? failure?.message ?? 'It failed without a message.'}`)
    }
  }
}
