import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { configDefaults, type Plugin, type TestProjectInlineConfiguration } from 'vitest/config'
import { buildHookIfStale } from './scripts/build.ts'
import { buildConsoleIfStale } from './scripts/build-console.ts'
import { POLLING } from './tests/kit/polling.ts'
import { retryOnCi } from './tests/kit/retry-on-ci.ts'

// The Worker imports the built page helper and console; `npm test` has built them.
await buildHookIfStale()
await buildConsoleIfStale()

/**
 * Has the Worker's modules import at their beginning what they load when it is needed. The test runner answers two requests
 * that import the same module at once with one promise, which a request of workerd cannot wait for if it is another's.
 */
const importAtOnce: Plugin = {
  name: 'import-at-once',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(join(import.meta.dirname, 'worker/'))) return undefined
    const imports: string[] = []
    const changed = code.replace(/\bimport\((?='\.)('[^']+\.ts')\)/g, (_, path) => {
      const name = `importedAtOnce${imports.length}`
      imports.push(`import * as ${name} from ${path}`)
      return `Promise.resolve(${name})`
    })
    // At the end, where they move no line.
    return imports.length === 0 ? undefined : { code: `${changed}\n${imports.join('\n')}\n`, map: null }
  },
}

/** A folder in memory that is removed at the end, where the system has one with so many bytes free (Linux). */
function folderInMemory(bytes: number): string | undefined {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize < bytes) return undefined
    const folder = mkdtempSync('/dev/shm/hookline-tests-')
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    return folder
  } catch {
    return undefined
  }
}

/** The environment of tests that run outside of workerd: their temporary files are where they always are. */
export const ownTemporaryFiles = { TMPDIR: tmpdir() }

// D1 and Durable Objects wait for the disk at each write; what tests store need not outlast them.
process.env.TMPDIR = folderInMemory(2 ** 31) ?? tmpdir()

const migrations = await readD1Migrations('./d1-migrations')

/**
 * The tests of the Worker, inside workerd with D1 and R2 of their own. A workerd with the Worker's modules costs some
 * three seconds, so files share one; tests/worker/start-file.ts makes each begin as if it were alone.
 */
export const workerProjects: TestProjectInlineConfiguration[] = [
  {
    plugins: [
      importAtOnce,
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
            SELLER: 'Example Ltd\\n1 High Street',
            INSCRIPTIONS: 'Bitcoin,Dogecoin',
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
      // They take seconds a case: `npm run test:large:worker` runs them.
      exclude: [...configDefaults.exclude, ...(process.env.TEST_LARGE ? [] : ['**/*.heavy.test.ts'])],
      isolate: false,
      retry: retryOnCi,
      setupFiles: ['tests/kit/seed-properties.ts', 'tests/worker/start-file.ts'],
      expect: { poll: POLLING },
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  },
]
