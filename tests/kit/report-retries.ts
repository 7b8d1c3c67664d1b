import type { Reporter, TestCase } from 'vitest/node'

/** Names the tests that failed and then passed when they were run again, with what failed: each is to be mended. */
export default class ReportRetries implements Reporter {
  readonly #retried: TestCase[] = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#retried.push(test)
  }

  onTestRunEnd(): void {
    for (const test of this.#retried) {
      const [failure] = test.result().errors ?? []
      console.error(`Passed only when it was run again: ${test.module.relativeModuleId} > ${test.fullName}`)
      console.error(`  ${failure?.stack ?? failure?.message ?? 'It failed without a message.'}`)
    }
  }
}
