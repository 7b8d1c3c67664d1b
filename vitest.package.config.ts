import { defineConfig } from 'vitest/config'

/** The packed package in every runtime, and other people's readers: `npm run test:package`, which installs both first. */
export default defineConfig({
  test: {
    globalSetup: 'tests/kit/bundle-once.ts',
    include: ['tests/package/**/*.test.ts'],
    testTimeout: 60_000,
    fileParallelism: false,
  },
})
