import { defineConfig } from 'vitest/config'

/** The packed package in every runtime: `npm run test:package`, which installs the runtimes first. */
export default defineConfig({
  test: { include: ['tests/package/**/*.test.ts'], testTimeout: 60_000 },
})
