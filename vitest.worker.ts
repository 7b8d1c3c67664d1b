import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { buildHookIfStale } from './scripts/build.ts'
import { buildConsoleIfStale } from './scripts/build-console.ts'

// The Worker imports the built page helper and console; `npm test` has built them.
await buildHookIfStale()
await buildConsoleIfStale()

const migrations = await readD1Migrations('./d1-migrations')

/**
 * The tests of the Worker, inside workerd with D1 and R2 of their own. A workerd with the Worker's modules costs some
 * three seconds, so files share one; tests/worker/start-file.ts makes each begin as if it were alone.
 */
export const workerProjects: TestProjectInlineConfiguration[] = [
  {
    plugins: [
      cloudflareTest({
        // Not what is deployed, which is built from it.
        main: './worker/index.ts',
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          bindings: {
            BASE_URL: 'https://api.example',
            STORAGE_HOST: 'storage.example',
            TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: Buffer.alloc(32, 7).toString('base64url') }] }),
            RPC_BITCOIN: 'http://user:secret@bitcoin-a.test/,http://user:secret@bitcoin-b.test/',
            RPC_NATIVECOIN: 'http://user:secret@nativecoin.test/',
            RPC_DOGECOIN: 'http://user:secret@dogecoin.test/',
            IPFS_GATEWAYS: 'http://gateway-a.test,http://gateway-b.test,http://gateway-c.test',
            IPFS_ROUTERS: 'http://router.test',
            MAIL_URL: 'https://mail.example/send',
            MAIL_TOKEN: 'mail-secret',
            MAIL_FROM: 'Hookline <no-reply@api.example>',
            DOH_URL: 'https://resolver.example/dns-query',
            TEST_LARGE: process.env.TEST_LARGE ?? '',
            TEST_MIGRATIONS: migrations,
          },
        },
      }),
    ],
    test: {
      name: 'worker',
      include: ['tests/worker/**/*.test.ts'],
      isolate: false,
      setupFiles: ['tests/worker/start-file.ts'],
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  },
]
