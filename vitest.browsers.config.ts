import { defineConfig } from 'vitest/config'
import { POLLING } from './tests/kit/polling.ts'

/**
 * The tests of the console that Firefox's driver can do, in Firefox. What is left out needs what it has not: an
 * authenticator (`passkeys`), a clipboard that can be read (`library`), a trace (`long-tasks`), kept file handles and
 * frozen tabs (`tabs-and-reloads`).
 */
const IN_FIREFOX = [
  'tests/console/{store-and-upload,views}.test.ts',
  'tests/e2e/{console,moderation,operate,sites-in-console,store-from-console}.test.ts',
]

/**
 * The console in Firefox and WebKit, and digests in three browsers: `npm run test:browsers`, which needs what `npm test`
 * can't expect on every machine. A browser at a time, with patience for slow machines.
 */
export default defineConfig({
  test: {
    name: 'browsers',
    globalSetup: ['tests/browsers/install-browsers.ts', 'tests/kit/bundle-once.ts'],
    include: ['tests/browsers/*.test.ts', ...IN_FIREFOX],
    env: { TEST_BROWSER: 'firefox' },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: POLLING },
    fileParallelism: false,
    isolate: false,
  },
})
