import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build as bundle, type Plugin } from 'esbuild'
import { siteScript } from './build.ts'
import { buildAuthorWorkers } from './build-author-worker.ts'
import { buildCommand } from './build-command.ts'
import { operatorsCheckpoints } from './operators-checkpoints.ts'
import { writeBill } from './write-bill.ts'

const ROOT = new URL('../', import.meta.url)
const CLIENT = new URL('client/', ROOT)
const DIST = new URL('dist/', CLIENT)
/** Some libraries expect this global. */
const DEFINE = { 'process.env.NODE_ENV': '"production"' }
const WASM = 'brotli-dec-wasm/web/bg.wasm'

/**
 * Builds the published package `hookline` into client/dist: the command, the library with its dependencies bundled, so
 * that nothing else is installed, its types, the worker that authors copy to their sites, and the bill of materials.
 */
export async function buildPackage(): Promise<void> {
  rmSync(DIST, { recursive: true, force: true })
  mkdirSync(DIST, { recursive: true })
  await compile({
    entryPoints: { index: path('client/index.ts'), hook: path('client/hook.ts'), element: path('client/element.ts') },
    define: {
      ...DEFINE,
      SITE_SCRIPT: await siteScript(),
      // Parts are imported by their names.
      PROOF_PART: '""',
      SCRYPT_PART: '""',
      NAMED_PART: '""',
      FRAMES_PART: '""',
      STREAMS_PART: '""',
      SITE_PART: '""',
      CHECKPOINTS: JSON.stringify(operatorsCheckpoints()),
    },
    splitting: true,
    chunkNames: 'part-[hash]',
    plugins: [
      ownImport('./brotli-wasm.ts', '#brotli-wasm'),
      ownImport('../node-files.ts', '#node-files'),
      ownImport(WASM, './brotli-bytes.js'),
    ],
  })
  for (const name of ['node-files', 'no-node-files'])
    await compile({ entryPoints: { [name]: path(`client/${name}.ts`) }, platform: 'node' })
  // Two forms of WebAssembly: bytes, or a module for runtimes that cannot compile (workerd).
  const entryPoints = { 'brotli-wasm': path('client/brotli-wasm.ts') }
  await compile({ entryPoints, plugins: [ownImport(WASM, './brotli-bytes.js')] })
  const bytes = createRequire(import.meta.url).resolve(WASM)
  await compile({ entryPoints: { 'brotli-bytes': bytes }, loader: { '.wasm': 'binary' } })
  await compile({
    entryPoints: { 'brotli-wasm.workerd': path('client/brotli-wasm.ts') },
    plugins: [ownImport(WASM, './brotli.wasm')],
  })
  copyFileSync(bytes, new URL('brotli.wasm', DIST))
  for (const [name, bytes] of Object.entries(await buildAuthorWorkers())) writeFileSync(new URL(name, DIST), bytes)
  await buildCommand()
  writeTypes()
  writeBill(DIST)
}

function compile(options: BuildOptions) {
  return bundle({
    outdir: fileURLToPath(DIST),
    bundle: true,
    format: 'esm',
    // The browser build of a dependency runs everywhere, because it needs no Buffer.
    platform: 'browser',
    target: ['es2022'],
    // Names are not minified, so that stack traces are readable.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'inline',
    define: DEFINE,
    pure: ['Object.freeze', 'FinalizationRegistry'],
    ...options,
  })
}

/** Leaves an import to the runtime, under another name. */
function ownImport(from: string, to: string): Plugin {
  return {
    name: to,
    setup(build) {
      const filter = new RegExp(`^${from.replace(/[/.]/g, '\\$&')}$`)
      build.onResolve({ filter }, ({ kind }) =>
        kind === 'entry-point' ? undefined : { path: to, external: true, sideEffects: false },
      )
    },
  }
}

/**
 * Type declarations in the folders of their sources. Their imports name the published files, and only what the entries
 * reach is included.
 * @throws if one needs a package, which the user of this one would not have
 */
function writeTypes(): void {
  execFileSync(process.execPath, [path('scripts/api-types/generate.ts')], { stdio: 'inherit' })
  const types = new URL('types/', DIST)
  const tsc = fileURLToPath(new URL('node_modules/.bin/tsc', ROOT))
  const flags = [
    '--noEmit',
    'false',
    '--declaration',
    '--emitDeclarationOnly',
    '--stripInternal',
    '--rootDir',
    fileURLToPath(ROOT),
  ]
  execFileSync(tsc, ['-p', path('client'), ...flags, '--outDir', fileURLToPath(types)], { stdio: 'inherit' })
  for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue
    const file = new URL(name, types)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
  }
  const reached = new Set(['index', 'hook', 'element'].map((name) => new URL(`client/${name}.d.ts`, types).href))
  for (const file of reached) for (const next of importsOf(file)) reached.add(next)
  for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
    const file = new URL(name, types)
    if (name.endsWith('.d.ts') && !reached.has(file.href)) rmSync(file)
  }
}

function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  return [...text.matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)].map(([, name = '']) => {
    if (!name.startsWith('.')) throw new Error(`${file} needs the types of ${name}.`)
    return new URL(name.replace(/\.js$/, '.d.ts'), file).href
  })
}

function path(name: string): string {
  return fileURLToPath(new URL(name, ROOT))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildPackage()
