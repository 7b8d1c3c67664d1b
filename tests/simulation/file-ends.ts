import type { FileEnd, TestEnd } from '../mutants/test-runner.ts'

/** A test that ended. */
export function testEnd(name: string, { state = 'passed', ms = 1, reached = [] }: Partial<TestEnd> = {}): TestEnd {
  return { name, state, ms, reached }
}

/** A test file that ended: it failed where one of its tests did. */
export function fileEnd(path: string, tests: TestEnd[], imported: string[] = []): FileEnd {
  return { path, failed: tests.some(({ state }) => state === 'failed'), error: undefined, tests, imported }
}
