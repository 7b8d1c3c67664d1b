import { defineConfig } from 'vitest/config'
import { POLLING } from './tests/kit/polling.ts'
import { retryOnCi } from './tests/kit/retry-on-ci.ts'

/**
 * The tests of the console that open Chromium otherwise: all but those of what Firefox or its driver has not.
 * - tests/console/long-tasks: a trace, with the processor time of each task.
 * - tests/console/frozen-tab: a command that freezes a tab as the browser does.
 * - tests/console/kept-handles: handles of files that are kept over a reload, and dropping files by the driver.
 * - tests/e2e/passkeys: an authenticator that the driver operates.
 */
const IN_FIREFOX = [
  'tests/console/{account,balance,compressing,folders,hide-and-take-down,library,on-a-phone,operate,order-pages,orders,paying}.test.ts',
  'tests/console/{server-down,sharing,shown-names,sites,small-things,store-and-upload,tabs-and-reloads}.test.ts',
  'tests/console/{too-large,views,websites}.test.ts',
  'tests/e2e/{accounts,console,console-views,moderation,operate,sites-in-console,store-from-console,website-from-console}.test.ts',
]

/**
 * What needs more than `npm test` can expect on every machine: Firefox and WebKit, with patience for slow machines.
 * `npm run test:browsers` runs tests/browsers in both, `npm run test:firefox` the tests of the console in Firefox.
 */
export default defineConfig({
  test: {
    name: 'browsers',
    retry: retryOnCi,
    reporters: ['default', './tests/kit/report-retries.ts'],
    // What a failed test left waiting for a page that was closed behind it, as in vitest.config.ts.
    onUnhandledError: ({ message }) =>
      String(message).includes('page, context or browser has been closed') ? false : undefined,
    globalSetup: ['tests/browsers/install-browsers.ts', 'tests/kit/bundle-once.ts'],
    env: { TEST_BROWSER: 'firefox' },
    include: ['tests/browsers/*.test.ts', ...IN_FIREFOX],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: POLLING },
    // Two browsers at a time: each waits for its Worker and its chain more than it works.
    maxWorkers: 2,
    isolate: false,
  },
})
