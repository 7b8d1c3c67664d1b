import { defineConfig } from 'vitest/config'
import { POLLING } from './tests/kit/polling.ts'
import { retryOnCi } from './tests/kit/retry-on-ci.ts'

const common = {
  retry: retryOnCi,
  globalSetup: ['tests/browsers/install-browsers.ts', 'tests/kit/bundle-once.ts'],
  env: { TEST_BROWSER: 'firefox' },
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: POLLING },
  fileParallelism: false,
  isolate: false,
}

/**
 * What needs more than `npm test` can expect on every machine: Firefox and WebKit. A browser at a time, with patience for
 * slow machines. `npm run test:browsers:short` runs `engines` alone.
 */
export default defineConfig({
  test: {
    reporters: ['default', './tests/kit/report-retries.ts'],
    projects: [
      // A file from the sign-in to the library in both, and digests in three browsers.
      { test: { ...common, name: 'engines', include: ['tests/browsers/*.test.ts'] } },
      // The tests of the console that open Chromium otherwise.
      {
        test: {
          ...common,
          name: 'firefox',
          include: [
            'tests/console/{store-and-upload,views}.test.ts',
            'tests/e2e/{console,moderation,operate,sites-in-console,store-from-console}.test.ts',
          ],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
