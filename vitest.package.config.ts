import { defineConfig } from 'vitest/config'
import { POLLING } from './tests/kit/polling.ts'
import { retryOnCi } from './tests/kit/retry-on-ci.ts'

/** The packed package in every runtime, and other people's readers: `npm run test:package`, which installs both first. */
export default defineConfig({
  test: {
    reporters: ['default', './tests/kit/report-retries.ts'],
    retry: retryOnCi,
    globalSetup: 'tests/kit/bundle-once.ts',
    include: ['tests/package/**/*.test.ts'],
    testTimeout: 120_000,
    expect: { poll: POLLING },
    fileParallelism: false,
  },
})
