import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { POLLING } from './tests/kit/polling.ts'
import { propertySeed } from './tests/kit/property-seed.ts'
import { retryOnCi } from './tests/kit/retry-on-ci.ts'
import { ownTemporaryFiles, workerProjects } from './vitest.worker.ts'

/** Files at a time that each open a browser: one waits for half of its time, and memory for more is not everywhere. */
const BROWSERS = 2
/** Wrangler itself, some thirty times. */
const AGAINST_API = 'tests/scripts/*/against-api.test.ts'
/** What looks at how long something takes: beside nothing else, at the end. */
const MEASURED = ['tests/console/long-tasks.test.ts', 'tests/console/frozen-tab.test.ts']

export default defineConfig({
  test: {
    reporters: ['default', './tests/kit/report-retries.ts'],
    provide: { propertySeed },
    // What a failed test left waiting for a page that was closed behind it: the test has failed, or passed when it was run again.
    onUnhandledError: ({ message }) =>
      String(message).includes('page, context or browser has been closed') ? false : undefined,
    // One would be left idle on a machine of two cores: much of the work is done in workerd and Chromium anyway.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        // The simulation runs the Durable Objects' own code, outside of workerd.
        resolve: { alias: { 'cloudflare:workers': `${import.meta.dirname}/tests/simulation/cloudflare-workers.ts` } },
        test: {
          name: 'unit',
          retry: retryOnCi,
          env: ownTemporaryFiles,
          include: [
            'tests/{protocol,reader,client,devnet,scripts,simulation,fuzz,bench,docs}/**/*.test.ts',
            'tests/console/core/**/*.test.ts',
          ],
          exclude: [...configDefaults.exclude, AGAINST_API],
          setupFiles: ['tests/kit/seed-properties.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: POLLING },
          // No file leaves anything behind, and each imports much of what the others do.
          isolate: false,
        },
      },
      {
        test: {
          name: 'cli',
          retry: retryOnCi,
          env: ownTemporaryFiles,
          globalSetup: 'tests/cli/build-once.ts',
          include: ['tests/cli/**/*.test.ts', AGAINST_API],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: POLLING },
        },
      },
      ...workerProjects,
      {
        test: {
          name: 'console',
          retry: retryOnCi,
          env: ownTemporaryFiles,
          globalSetup: ['tests/console/build-once.ts', 'tests/kit/unpack-browser.ts'],
          include: ['tests/console/*.test.ts'],
          testTimeout: 180_000,
          expect: { poll: POLLING },
          hookTimeout: 180_000,
          exclude: [...configDefaults.exclude, ...MEASURED],
          maxWorkers: BROWSERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'console-measured',
          retry: retryOnCi,
          env: ownTemporaryFiles,
          globalSetup: ['tests/console/build-once.ts', 'tests/kit/unpack-browser.ts'],
          include: MEASURED,
          testTimeout: 180_000,
          expect: { poll: POLLING },
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'e2e',
          retry: retryOnCi,
          env: ownTemporaryFiles,
          globalSetup: ['tests/kit/bundle-once.ts', 'tests/cli/build-once.ts', 'tests/kit/unpack-browser.ts'],
          include: ['tests/{e2e,client-hook}/**/*.test.ts'],
          setupFiles: ['tests/kit/seed-properties.ts'],
          testTimeout: 180_000,
          expect: { poll: POLLING },
          hookTimeout: 180_000,
          maxWorkers: BROWSERS,
          sequence: { groupOrder: 1 },
          // What runs the Worker is slow to import; once is enough.
          isolate: false,
        },
      },
    ],
  },
})
