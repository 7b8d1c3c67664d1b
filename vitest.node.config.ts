import { defineConfig } from 'vitest/config'
import { POLLING } from './tests/kit/polling.ts'
import { retryOnCi } from './tests/kit/retry-on-ci.ts'

/** Tests against a real chain daemon, which `npm test` can't expect on every machine. */
export default defineConfig({
  test: {
    reporters: ['default', './tests/kit/report-retries.ts'],
    retry: retryOnCi,
    name: 'node',
    globalSetup: 'tests/kit/bundle-once.ts',
    include: ['tests/node/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: POLLING },
    fileParallelism: false,
  },
})
