import { defineConfig } from 'vitest/config'
import { retryOnCi } from './tests/kit/retry-on-ci.ts'

/** What takes minutes and many files or bytes: part of `npm run test:large`. */
export default defineConfig({
  test: {
    reporters: ['default', './tests/kit/report-retries.ts'],
    retry: retryOnCi,
    name: 'large',
    globalSetup: ['tests/large/uploads/install-clients.ts', 'tests/kit/bundle-once.ts', 'tests/cli/build-once.ts'],
    include: ['tests/large/**/*.test.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    fileParallelism: false,
  },
})
