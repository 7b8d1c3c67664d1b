import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from 'miniflare'
import type { RawAnswer } from './raw-request.ts'
import { WorkerdProcess } from './workerd-process.ts'

export interface Bare {
  /** Port on which the bare Worker with this name answers. */
  port(name: string): number
  process: WorkerdProcess | undefined
  close(): Promise<void>
}

/** Compiles one of bench/workers; modules that are provided at run time stay imports. */
export async function compileWorker(name: string): Promise<string> {
  const entry = fileURLToPath(new URL(`workers/${name}.ts`, import.meta.url))
  const external = ['./init.json', 'cloudflare:*', 'node:*']
  const built = await build({ entryPoints: [entry], bundle: true, write: false, format: 'esm', external })
  return built.outputFiles[0]?.text ?? ''
}

/** Starts a workerd of its own with one bare Worker for each answer. */
export async function startBare(
  answers: ReadonlyMap<string, RawAnswer>,
  known: readonly (WorkerdProcess | undefined)[],
): Promise<Bare> {
  const contents = await compileWorker('bare')
  const workers = [...answers].map(([name, { status, headers, body }]) => {
    // A stored encoding is sent as it is, as the product does.
    const encodeBody = 'content-encoding' in headers ? 'manual' : 'automatic'
    return { name, contents, init: { status, headers, encodeBody, body: body.toString('base64') } }
  })
  return await startWorkers(workers, known)
}

/** Starts a workerd of its own with one of bench/workers, which finds `init` in ./init.json. */
export async function startBareWorker(
  name: string,
  init: Record<string, unknown>,
  known: readonly (WorkerdProcess | undefined)[] = [],
  bindings: Pick<V4WorkerOptions, 'durableObjects' | 'ratelimits'> = {},
): Promise<Bare> {
  const worker = { name, contents: await compileWorker(name), init }
  return await startWorkers([worker], known, bindings)
}

async function startWorkers(
  list: { name: string; contents: string; init: Record<string, unknown> }[],
  known: readonly (WorkerdProcess | undefined)[],
  bindings: Pick<V4WorkerOptions, 'durableObjects' | 'ratelimits'> = {},
): Promise<Bare> {
  // On disk, as for the product: the simulators are faster in memory.
  const stateDir = await mkdtemp(join(tmpdir(), 'hookline-bare-'))
  const workers = list.map(({ name, contents, init }) => ({
    name,
    compatibilityDate: '2026-10-01',
    compatibilityFlags: ['nodejs_compat'],
    modules: [
      { type: 'ESModule' as const, path: 'index.js', contents },
      { type: 'ESModule' as const, path: 'init.json', contents: `export default ${JSON.stringify(init)}` },
    ],
    r2Buckets: ['BUCKET'],
    ...bindings,
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0, proxy: false }],
  }))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({ log: new Log(LogLevel.ERROR), workers, resourcePersistencePath: stateDir }),
  )
  await miniflare.ready
  const ports = new Map<string, number>()
  for (const { name } of workers) ports.set(name, Number((await miniflare.unsafeGetDirectURL(name)).port))
  return {
    port(name) {
      const port = ports.get(name)
      if (port === undefined) throw new RangeError(`no bare Worker ${name}`)
      return port
    },
    process: WorkerdProcess.find(known.filter((process) => process !== undefined)),
    async close() {
      await miniflare.dispose()
      await rm(stateDir, { recursive: true, force: true })
    },
  }
}
