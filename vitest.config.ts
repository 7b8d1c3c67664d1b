import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['tests/{protocol,devnet,scripts,simulation,bench}/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      './vitest.worker.config.ts',
      {
        test: {
          name: 'e2e',
          globalSetup: 'tests/e2e/bundle-once.ts',
          include: ['tests/{e2e,client-hook}/**/*.test.ts'],
          testTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
          hookTimeout: 60_000,
          fileParallelism: false,
          // What runs the Worker is slow to import; once is enough.
          isolate: false,
        },
      },
    ],
  },
})
