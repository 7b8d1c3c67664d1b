import { configDefaults, defineConfig } from 'vitest/config'
import { POLLING } from './tests/kit/polling.ts'
import { retryOnCi } from './tests/kit/retry-on-ci.ts'

/** Tests of what runs on a machine of one's own: the built server, without Wrangler or Miniflare. */
export default defineConfig({
  test: {
    reporters: ['default', './tests/kit/report-retries.ts'],
    retry: retryOnCi,
    name: 'server',
    globalSetup: 'tests/server/build-once.ts',
    include: ['tests/server/**/*.test.ts'],
    // Minutes of full disks: part of `npm run test:large`.
    exclude: [...configDefaults.exclude, ...(process.env.DISKS ? [] : ['tests/server/full-disks.test.ts'])],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: POLLING },
    fileParallelism: false,
  },
})
