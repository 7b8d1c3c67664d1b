import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type MiniflareOptions,
  type V4WorkerOptions,
} from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from 'wrangler'
import type { WorkerModule } from './bundle-worker.ts'
import { findMissing, MIGRATIONS } from './migrations.ts'

const CONFIG = fileURLToPath(new URL('../wrangler.toml', import.meta.url))
const ROOT = fileURLToPath(new URL('..', import.meta.url))

export interface RunOptions {
  modules: WorkerModule[]
  /** 0: a free one; `unsafeGetDirectURL()` returns it. */
  port: number
  /** Settings of docs/operate/settings.md. */
  variables: Record<string, string>
  /** Folder of D1, R2 and the Durable Objects; in memory without it. */
  stateDir?: string
  /** Opens the inspector; 0: at a free port. */
  inspectorPort?: number
}

/**
 * Runs the built Worker on workerd at 127.0.0.1:port, with the bindings of wrangler.toml and its migrations
 * applied. Its socket leads to the Worker with nothing in between: Wrangler's dev proxy is slower, and Miniflare's own
 * entry encodes answers anew, so that stored Brotli and ranges would not arrive as they were sent.
 * @throws {OlderDatabaseError}
 */
export async function runWorker(options: RunOptions): Promise<Miniflare> {
  const miniflare = new Miniflare(settings(options))
  await miniflare.ready
  await migrate(miniflare)
  return miniflare
}

/**
 * The Worker's R2 bucket as it lies in `stateDir`, while no Worker runs on it. The database beside it gets its tables,
 * so that a Worker that runs there next has them from its first request on.
 * @throws {OlderDatabaseError}
 */
export async function openBucket(stateDir: string) {
  const modules: WorkerModule[] = [{ type: 'ESModule', path: 'index.js', contents: 'export default {}' }]
  const miniflare = new Miniflare(settings({ modules, port: 0, variables: {}, stateDir }, { durableObjects: {} }))
  await migrate(miniflare)
  return { bucket: await miniflare.getR2Bucket('BUCKET'), close: () => miniflare.dispose() }
}

/** A way out that leads to public addresses alone: what `global_fetch_strictly_public` is on Cloudflare. */
const PUBLIC_FETCH = { network: { allow: ['public'], tlsOptions: { trustBrowserCas: true } } }

function settings(options: RunOptions, overrides: Partial<V4WorkerOptions> = {}): MiniflareOptions {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(CONFIG)
  return convertV4MiniflareOptions({
    ...workerOptions,
    ...overrides,
    rootPath: ROOT,
    modules: options.modules,
    bindings: options.variables,
    serviceBindings: { PUBLIC_FETCH },
    host: '127.0.0.1',
    port: 0,
    unsafeDirectSockets: [{ host: '127.0.0.1', port: options.port, proxy: false }],
    log: new Log(LogLevel.ERROR),
    ...(options.stateDir ? { resourcePersistencePath: options.stateDir } : {}),
    ...(options.inspectorPort === undefined ? {} : { inspectorPort: options.inspectorPort }),
  })
}

/** Applies the migrations that its database lacks, and records them in Wrangler's table; closes it where it can't. */
async function migrate(miniflare: Miniflare): Promise<void> {
  try {
    const db = await miniflare.getD1Database('DB')
    await db
      .prepare(
        `CREATE TABLE IF NOT EXISTS d1_migrations
         (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`,
      )
      .run()
    const { results } = await db.prepare('SELECT name FROM d1_migrations').all()
    for (const name of findMissing(results.map((row) => row.name))) {
      const statements = unstable_splitSqlQuery(await readFile(join(MIGRATIONS, name), 'utf8'))
      await db.batch([
        ...statements.map((statement) => db.prepare(statement)),
        db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
      ])
    }
  } catch (error) {
    await miniflare.dispose()
    throw error
  }
}
