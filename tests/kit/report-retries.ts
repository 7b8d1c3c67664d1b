import type { Reporter, TestCase } from 'vitest/node'

/** Lists the flaky tests, which failed and passed when repeated, with their errors: each is to be fixed. */
export default class ReportRetries implements Reporter {
  readonly #retried: TestCase[] = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#retried.push(test)
  }

  onTestRunEnd(): void {
    for (const test of this.#retried) {
      const [failure] = test.result().errors ?? []
      console.error(`Passed only when repeated: ${test.module.relativeModuleId} > ${test.fullName}`)
      console.error(`  ${failure?.stack ?? failure?.message ?? 'It failed without a message.'}`)
    }
  }
}
