import { execFileSync } from 'node:child_process'
import { chmod, copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { unstable_readConfig } from 'wrangler'
import { VERSION } from '../contract/version.ts'
import { type MainWorker, writeCapnp } from '../server/write-capnp.ts'
import { buildHookIfStale } from './build.ts'
import { buildConsoleIfStale } from './build-console.ts'
import { bundleWorker } from './bundle-worker.ts'
import { collectLicences } from './collect-licences.ts'
import { MIGRATIONS } from './migrations.ts'
import { serverExample } from './settings/server-example.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CONFIG = join(ROOT, 'wrangler.toml')
/** What workerd takes with `--experimental` alone, though Cloudflare takes it as any other flag. */
const EXPERIMENTAL = 'new_module_registry'

/** The Workers beside the main one, by their names in the configuration. */
const WORKERS = {
  entry: 'entry/entry-worker.ts',
  outbound: 'outbound-worker.ts',
  database: 'database/database-worker.ts',
  bucket: 'bucket/bucket-worker.ts',
  clock: 'clock/clock-worker.ts',
  limits: 'limits-worker.ts',
  'no-cache': 'no-cache-worker.ts',
}

const COMMON = {
  metafile: true,
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  target: 'es2024',
  logLevel: 'error',
  legalComments: 'none',
} satisfies BuildOptions

/** Builds all that runs on a machine of one's own into `outdir`; the page helper and the console must be built before. */
export async function buildServer(outdir: string): Promise<void> {
  await rm(outdir, { recursive: true, force: true })
  await mkdir(join(outdir, 'bin'), { recursive: true })
  const modules = await bundleWorker(join(outdir, 'main'))
  const metafile = join(outdir, 'main', 'meta.json')
  const { inputs }: Metafile = JSON.parse(await readFile(metafile, 'utf8'))
  await rm(metafile)
  const workers = await buildPlatform(outdir)
  const command = await build({
    ...COMMON,
    entryPoints: { 'hookline-server': 'server/command/main.ts' },
    outdir: join(outdir, 'lib'),
    platform: 'node',
  })
  const files = modules.map(({ path, type }) => ({ name: path, type, path: `main/${path}` }))
  await writeFile(join(outdir, 'hookline.capnp'), writeCapnp({ ...readMain(), modules: files }))
  await writeFile(join(outdir, 'settings.example'), serverExample())
  await cp(MIGRATIONS, join(outdir, 'migrations'), { recursive: true, filter: (path) => !path.endsWith('.md') })
  const require = createRequire(import.meta.url)
  await copyFile(
    join(dirname(require.resolve('workerd/package.json')), 'bin', 'workerd'),
    join(outdir, 'bin', 'workerd'),
  )
  await copyFile(process.execPath, join(outdir, 'bin', 'node'))
  await writeFile(
    join(outdir, 'LICENSES'),
    await collectLicences(Object.keys({ ...inputs, ...workers, ...command.metafile.inputs })),
  )
  await cp(join(ROOT, 'deploy'), join(outdir, 'deploy'), { recursive: true })
  await copyFile(join(ROOT, 'docs', 'operate', 'server.md'), join(outdir, 'server.md'))
  await copyFile(join(ROOT, 'server', 'hookline-server'), join(outdir, 'hookline-server'))
  await chmod(join(outdir, 'hookline-server'), 0o755)
}

/** The Workers beside the main one, into `outdir`, where the configuration has them; returns their sources. */
async function buildPlatform(outdir: string): Promise<Metafile['inputs']> {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: Object.fromEntries(
      Object.entries(WORKERS).map(([name, path]) => [name, join('server', 'workers', path)]),
    ),
    outdir: join(outdir, 'workers'),
    minify: true,
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*', 'service.mjs'],
  })
  return metafile.inputs
}

/** What `wrangler.toml` says; the tag is the commit. */
function readMain(): Omit<MainWorker, 'modules'> {
  const config = unstable_readConfig({ config: CONFIG })
  const [database, bucket, version] = [config.d1_databases[0], config.r2_buckets[0], config.version_metadata]
  if (!database || !bucket || !version || !config.compatibility_date) throw new Error('wrangler.toml lacks a binding')
  return {
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags.filter((flag: string) => flag !== EXPERIMENTAL),
    database: database.binding,
    bucket: bucket.binding,
    objects: config.durable_objects.bindings.map((one: { name: string; class_name: string }) => ({
      binding: one.name,
      className: one.class_name,
    })),
    limits: config.ratelimits.map((one: { name: string; simple: { limit: number; period: number } }) => ({
      binding: one.name,
      ...one.simple,
    })),
    version: { binding: version.binding, tag: commit() },
  }
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

/**
 * Packs a built server as one file, whose one folder has its version; `compression` of tar's. Returns the path.
 */
export async function packServer(
  built: string,
  into: string,
  compression: '--xz' | '--no-auto-compress',
): Promise<string> {
  const name = `hookline-server-${VERSION}-linux-${process.arch}`
  const file = join(into, `${name}.tar${compression === '--xz' ? '.xz' : ''}`)
  const transform = `s,^\\.,${name},`
  const args = ['--create', compression, '--owner=0', '--group=0', '--numeric-owner', '--sort=name', '--mtime=@0']
  execFileSync('tar', [...args, '--transform', transform, '--file', file, '--directory', built, '.'], {
    env: { ...process.env, XZ_OPT: '-6 -T0' },
  })
  return file
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await buildHookIfStale()
  await buildConsoleIfStale()
  const built = join(ROOT, 'dist', 'server')
  await buildServer(built)
  console.log(await packServer(built, join(ROOT, 'dist'), '--xz'))
}
