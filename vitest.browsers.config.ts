import { defineConfig } from 'vitest/config'

/** The tests of the console that Firefox's driver can do, in Firefox; `passkeys` needs an authenticator that it has not. */
const IN_FIREFOX = ['console', 'moderation', 'operate', 'sites-in-console', 'store-from-console']

/**
 * The console in Firefox and WebKit, and digests in three browsers: `npm run test:browsers`, which needs what `npm test`
 * can't expect on every machine. A browser at a time, with patience for slow machines.
 */
export default defineConfig({
  test: {
    name: 'browsers',
    globalSetup: ['tests/browsers/install-browsers.ts', 'tests/kit/bundle-once.ts'],
    include: ['tests/browsers/*.test.ts', 'tests/console/*.test.ts', `tests/e2e/{${IN_FIREFOX}}.test.ts`],
    env: { TEST_BROWSER: 'firefox' },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    fileParallelism: false,
    isolate: false,
  },
})
