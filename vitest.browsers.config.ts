import { defineConfig } from 'vitest/config'
import { POLLING } from './tests/kit/polling.ts'
import { retryOnCi } from './tests/kit/retry-on-ci.ts'

/**
 * The tests of the console that open Chromium otherwise: all but those of what Firefox or its driver has not.
 * - tests/console/long-tasks: a trace, with the processor time of each task.
 * - tests/console/frozen-tab: a command that freezes a tab as the browser does.
 * - tests/console/kept-handles: handles of files that are kept over a reload, and dropping files by the driver.
 * - tests/e2e/console-views: a download, of which the driver says nothing.
 * - tests/e2e/passkeys: an authenticator that the driver operates.
 */
const IN_FIREFOX = [
  'tests/console/{library,store-and-upload,tabs-and-reloads,views}.test.ts',
  'tests/e2e/{accounts,console,moderation,operate,sites-in-console,store-from-console}.test.ts',
]

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
      {
        test: {
          ...common,
          name: 'firefox',
          include: IN_FIREFOX,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
