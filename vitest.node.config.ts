import { defineConfig } from 'vitest/config'

/** Tests against a real chain daemon, which `npm test` can't expect on every machine. */
export default defineConfig({
  test: {
    name: 'node',
    globalSetup: 'tests/kit/bundle-once.ts',
    include: ['tests/node/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
})
