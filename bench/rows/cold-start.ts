import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_readConfig } from 'wrangler'
import { readFirstModules, type WorkerModule } from '../../scripts/bundle-worker.ts'
import type { Bench } from '../bench.ts'
import { rawRequest } from '../raw-request.ts'
import { plainRow, type Row } from '../row.ts'
import { WorkerdProcess } from '../workerd-process.ts'

const GROUP = 'Start of the Worker'
const { compatibility_date: compatibilityDate = '', compatibility_flags: compatibilityFlags } = unstable_readConfig({
  config: fileURLToPath(new URL('../../wrangler.toml', import.meta.url)),
})
/** What a reader asks for: other requests load what few isolates need. */
const FIRST_REQUEST = { method: 'GET', path: '/v0/web/Nativecoin/none', headers: {} } as const
const EMPTY: WorkerModule = {
  type: 'ESModule',
  path: 'index.mjs',
  contents: 'export default { fetch: () => new Response(null, { status: 204 }) }',
}

/**
 * The size of what Cloudflare loads, as Cloudflare counts it, and the CPU time until the first response beyond that of
 * an empty Worker.
 */
export async function measureColdStart(bench: Bench): Promise<Row[]> {
  const compressed = compressedBytes(bench.modules)
  const first = compressedBytes(await readFirstModules())
  const rounds = bench.quick ? 3 : 11
  const cpu: number[] = []
  for (let round = 0; round < rounds; round++) {
    bench.progress(`start of the Worker: round ${round + 1} of ${rounds}`)
    cpu.push((await startOnce(bench.modules)) - (await startOnce([EMPTY])))
  }
  return [
    plainRow(
      {
        id: 'start/bundle',
        group: GROUP,
        what: 'bundle, compressed (gzip), with the page helper and the console',
        unit: 'KB',
        better: 'lower',
        target: 1_500,
      },
      [compressed / 1000],
    ),
    plainRow(
      {
        id: 'start/first',
        group: GROUP,
        what: 'what of it is loaded when it starts',
        unit: 'KB',
        better: 'lower',
        target: 104,
      },
      [first / 1000],
    ),
    plainRow(
      {
        id: 'start/evaluation',
        group: GROUP,
        what: 'module evaluation',
        unit: 'ms',
        better: 'lower',
        target: 72,
        note: 'CPU of workerd from its start to the first answer to a reader, beside an empty Worker',
      },
      cpu,
    ),
  ]
}

function compressedBytes(modules: readonly WorkerModule[]): number {
  return modules.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0)
}

async function startOnce(modules: WorkerModule[]): Promise<number> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules,
      compatibilityDate,
      compatibilityFlags,
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: () => {},
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0, proxy: false }],
    }),
  )
  try {
    await miniflare.ready
    const port = Number((await miniflare.unsafeGetDirectURL()).port)
    await rawRequest(port, FIRST_REQUEST)
    return WorkerdProcess.find()?.cpuMs() ?? Number.NaN
  } finally {
    await miniflare.dispose()
  }
}
