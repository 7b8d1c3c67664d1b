import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { buildHookIfStale } from './build.ts'
import { buildConsoleIfStale } from './build-console.ts'
import { FIRST, mergeFirstModules } from './merge-first-modules.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUTDIR = join(ROOT, 'dist', 'worker')
const ENTRY = 'index.mjs'
/** Beside the modules: what esbuild says of them as they were before the first ones were merged; its own analyser reads it. */
const METAFILE = 'meta.json'

/** A module of the built Worker, in the form that workerd accepts. */
export interface WorkerModule {
  type: 'ESModule' | 'Data' | 'CompiledWasm'
  path: string
  contents: string | Uint8Array<ArrayBuffer>
}

/**
 * The Worker exactly as `npm run deploy` sends it, main module first; the page helper and the console must be built before.
 * What is imported by `import()` is a module of its own, which a Worker that starts does not evaluate; Wrangler would put
 * everything into one. `hook`: another folder of a built page helper.
 */
export async function bundleWorker(outdir = OUTDIR, hook?: string): Promise<WorkerModule[]> {
  await rm(outdir, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { index: 'worker/index.ts' },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    // An ending that always means a module, so that a rule of wrangler.toml can name it.
    outExtension: { '.js': '.mjs' },
    minify: true,
    metafile: true,
    // As Wrangler resolves for Workers.
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    target: 'es2024',
    define: { 'process.env.NODE_ENV': '"production"', 'navigator.userAgent': '"Cloudflare-Workers"' },
    external: ['node:*', 'cloudflare:*'],
    loader: { '.br': 'copy', '.pack': 'copy', '.wasm': 'copy' },
    plugins: hook === undefined ? [] : [hookIn(hook)],
    logLevel: 'error',
  })
  await mergeFirstModules(outdir, ENTRY, metafile.outputs, ROOT)
  await writeFile(join(outdir, METAFILE), JSON.stringify(metafile))
  return await readModules(outdir)
}

function hookIn(folder: string): Plugin {
  return {
    name: 'hook-in',
    setup({ onResolve }) {
      onResolve({ filter: /\/client-hook\/dist\// }, ({ path }) => ({ path: join(folder, basename(path)) }))
    },
  }
}

/** The modules of a Worker that was built into `outdir`, main module first. */
export async function readModules(outdir: string): Promise<WorkerModule[]> {
  const names = (await readdir(outdir)).sort((a, b) => Number(b === ENTRY) - Number(a === ENTRY))
  const modules = await Promise.all(names.map((name) => readModule(outdir, name)))
  return modules.filter((module) => module !== undefined)
}

/** Those that a Worker evaluates when it starts: the main module, and the one that it imports. */
export async function readFirstModules(outdir = OUTDIR): Promise<WorkerModule[]> {
  return (await readModules(outdir)).filter(({ path }) => path === ENTRY || path === FIRST)
}

async function readModule(outdir: string, name: string): Promise<WorkerModule | undefined> {
  const path = join(outdir, name)
  if (name.endsWith('.mjs')) return { type: 'ESModule', path: name, contents: await readFile(path, 'utf8') }
  const type = /\.(?:br|pack)$/.test(name) ? 'Data' : name.endsWith('.wasm') ? 'CompiledWasm' : undefined
  return type && { type, path: name, contents: Uint8Array.from(await readFile(path)) }
}

// What Wrangler runs before it deploys.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await buildHookIfStale()
  await buildConsoleIfStale()
  await bundleWorker()
}
