import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** A module of the built Worker, as workerd takes it. */
export interface WorkerModule {
  type: 'ESModule' | 'Data' | 'CompiledWasm'
  path: string
  contents: string | Uint8Array<ArrayBuffer>
}

/** The Worker exactly as `npm run deploy` sends it, main module first; the page helper and the console must be built before. */
export async function bundleWorker(outdir = join(ROOT, 'dist', 'worker')): Promise<WorkerModule[]> {
  // import.meta.resolve would do, but for tests: Vite has none.
  const wrangler = createRequire(import.meta.url).resolve('wrangler/package.json')
  const bin = join(wrangler, '..', 'bin', 'wrangler.js')
  const args = [bin, 'deploy', '--dry-run', '--outdir', outdir]
  const environment = { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' }
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: environment }).catch((error: unknown) => {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    throw new Error(`The Worker does not build.\n${output}`)
  })
  return readModules(outdir)
}

/** The modules of a Worker that was built into `outdir`, main module first. */
export async function readModules(outdir: string): Promise<WorkerModule[]> {
  const names = (await readdir(outdir)).sort((a, b) => Number(b === 'index.js') - Number(a === 'index.js'))
  const modules = await Promise.all(names.map((name) => readModule(outdir, name)))
  return modules.filter((module) => module !== undefined)
}

async function readModule(outdir: string, name: string): Promise<WorkerModule | undefined> {
  const path = join(outdir, name)
  if (name.endsWith('.js')) return { type: 'ESModule', path: name, contents: await readFile(path, 'utf8') }
  if (/\.(?:br|pack)$/.test(name)) return { type: 'Data', path: name, contents: Uint8Array.from(await readFile(path)) }
  if (name.endsWith('.wasm'))
    return { type: 'CompiledWasm', path: name, contents: Uint8Array.from(await readFile(path)) }
  return undefined
}
