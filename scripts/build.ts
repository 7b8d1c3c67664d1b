import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import type { BuildOptions, Plugin } from 'esbuild'
import type { BuildManifest, BuiltAsset } from '../client-hook/build-manifest.ts'
import { partOf } from '../client-hook/hashed-part.ts'
import { buildConsole } from './build-console.ts'
import { compileScript } from './compile-script.ts'
import { operatorsCheckpoints } from './operators-checkpoints.ts'
import { trimWasm } from './trim-wasm.ts'

const SOURCE = new URL('../client-hook/', import.meta.url)
const DIST = new URL('dist/', SOURCE)

/**
 * Builds unless the output is newer than all of its sources, and has the operator's checkpoints; for tests that run without
 * `npm test`.
 */
export async function buildHookIfStale(): Promise<void> {
  const built = statSync(new URL('manifest.json', DIST), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = [
    'client-hook',
    'reader',
    'protocol',
    'scripts/build.ts',
    'scripts/compile-script.ts',
    'scripts/trim-wasm.ts',
    'package-lock.json',
  ].flatMap((name) => {
    const path = fileURLToPath(new URL(`../${name}`, import.meta.url))
    return statSync(path).isFile() ? [path] : readdirSync(path, { recursive: true }).map((file) => `${path}/${file}`)
  })
  const pinned = new URL('checkpoints.json', DIST)
  const isPinned = existsSync(pinned) && readFileSync(pinned, 'utf8') === JSON.stringify(operatorsCheckpoints())
  if (!isPinned || sources.some((path) => !path.includes('/dist') && statSync(path).mtimeMs > built)) await buildHook()
}

/**
 * Builds the page helper and its lazy parts into client-hook/dist: every file Brotli-compressed, and a manifest of
 * them. The hashes of the parts are compiled into the helper, and the checkpoints into the part that checks proofs.
 */
export async function buildHook(checkpoints = operatorsCheckpoints(), folder = DIST): Promise<BuildManifest> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const write = writer(folder)
  const writePart = async (name: string, options?: BuildOptions) =>
    write(`${name}.js`, await compile(`${name}/part.ts`, options), SCRIPT, (sha256) => partOf(name, 'js', sha256).path)
  const wasm = readFileSync(createRequire(import.meta.url).resolve('brotli-dec-wasm/web/bg.wasm'))
  const scrypt = await writePart('scrypt')
  const named = await writePart('named')
  const proof = await writePart('proof', {
    define: { CHECKPOINTS: JSON.stringify(checkpoints), SCRYPT_PART: reference(scrypt) },
  })
  const show = await compile('show/part.ts', {
    ...SHOW_OPTIONS,
    define: { ...SHOW_OPTIONS.define, PROOF_PART: reference(proof) },
  })
  const used = new Set([...show.toString().matchAll(/\.(\w+)/g)].map(([, name]) => name))
  const decoder = trimWasm(wasm, (name) => used.has(name))
  const frames = await writePart('frames')
  const streams = await writePart('streams', { define: { FRAMES_PART: reference(frames) } })
  const site = await writePart('site', { define: { SITE_SCRIPT: await siteScript() } })
  const parts = {
    'brotli.wasm': write('brotli.wasm', decoder, 'application/wasm', (sha256) => partOf('brotli', 'wasm', sha256).path),
    'show.js': write('show.js', show, SCRIPT, (sha256) => partOf('show', 'js', sha256).path),
    'ipfs.js': await writePart('ipfs'),
    'lazy.js': await writePart('lazy', {
      define: {
        NAMED_PART: reference(named),
        FRAMES_PART: reference(frames),
        STREAMS_PART: reference(streams),
        SITE_PART: reference(site),
      },
    }),
    'index.js': await writePart('index'),
    'insecure.js': await writePart('insecure'),
    'sources.js': await writePart('sources'),
    'proof.js': proof,
    'scrypt.js': scrypt,
    'named.js': named,
    'frames.js': frames,
    'streams.js': streams,
    'site.js': site,
  }
  const define = {
    INSECURE_PART: reference(parts['insecure.js']),
    SHOW_PART: reference(parts['show.js']),
    BROTLI_PART: reference(parts['brotli.wasm']),
    IPFS_PART: reference(parts['ipfs.js']),
    LAZY_PART: reference(parts['lazy.js']),
    INDEX_PART: reference(parts['index.js']),
    SOURCES_PART: reference(parts['sources.js']),
  }
  const frame = await inlineScript('frame/frame.html', 'frame/frame.ts')
  const shell = await inlineScript('shell/shell.html', 'shell/shell.ts')
  const worker = await compile('frame-worker/worker.ts')
  const manifest = {
    'hook.js': write('hook.js', await compile('hook.ts', { define }), SCRIPT, hookPath).asset,
    'brotli.wasm': parts['brotli.wasm'].asset,
    'show.js': parts['show.js'].asset,
    'ipfs.js': parts['ipfs.js'].asset,
    'lazy.js': parts['lazy.js'].asset,
    'index.js': parts['index.js'].asset,
    'insecure.js': parts['insecure.js'].asset,
    'sources.js': parts['sources.js'].asset,
    'proof.js': parts['proof.js'].asset,
    'scrypt.js': parts['scrypt.js'].asset,
    'named.js': parts['named.js'].asset,
    'frames.js': parts['frames.js'].asset,
    'streams.js': parts['streams.js'].asset,
    'site.js': parts['site.js'].asset,
    'frame.html': write('frame.html', frame, HTML, () => '/frame').asset,
    'shell.html': write('shell.html', shell, HTML, () => '/.hookline/shell').asset,
    'worker.js': write('worker.js', worker, SCRIPT, () => '/.hookline/worker.js').asset,
  }
  const json = `${JSON.stringify(manifest, null, 2)}\n`
  writeFileSync(new URL('manifest.json.br', folder), brotliCompressSync(json))
  const pinned = JSON.stringify(checkpoints)
  writeFileSync(new URL('checkpoints.json.br', folder), brotliCompressSync(pinned))
  writeFileSync(new URL('checkpoints.json', folder), pinned)
  writeFileSync(new URL('manifest.json', folder), json)
  return manifest
}

const SCRIPT = 'text/javascript; charset=utf-8'
const HTML = 'text/html; charset=utf-8'
// Found by trying all: WebAssembly changes its statistics every 64 KiB, and its distances end in the same bits.
const WASM_PARAMS = {
  [constants.BROTLI_PARAM_LGBLOCK]: 16,
  [constants.BROTLI_PARAM_NPOSTFIX]: 3,
  [constants.BROTLI_PARAM_NDIRECT]: 16,
}
// The decoder's glue code has methods for `using` and deprecation warnings, which are not needed here.
const SHOW_OPTIONS: BuildOptions = { define: { 'Symbol.dispose': 'undefined' }, drop: ['console'] }
/**
 * `idb` adds iterators and shortcuts to its proxies on import, and tells of blocked and terminated databases; leaving out what
 * nobody here uses saves 430 bytes.
 */
const IDB_WITHOUT_EXTRAS: Plugin = {
  name: 'idb-without-extras',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]idb[\\/]build[\\/]index\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8')
        .replaceAll(/^replaceTraps\(/gm, '/* @__PURE__ */ $&')
        .replaceAll(/\bif \((?:blocked|terminated)\)/g, '/* @__PURE__ */ if (false)')
      if (contents.split('@__PURE__').length !== 6) throw new Error('idb registers other extras than it did')
      return { contents, loader: 'js' }
    })
  },
}

/** The tokenizer of CSS tells of errors in sentences, which nobody here reads: without them `site.js` is 800 bytes smaller. */
const TOKENS_WITHOUT_ERRORS: Plugin = {
  name: 'tokens-without-errors',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]css-tokenizer[\\/]dist[\\/]index\.mjs$/ }, ({ path }) => {
      const errors = /\bp\(new ParseError(?:WithToken)?\(e\.\w+,[^[]*\[[^\]]*\](?:,\w)?\)\)/g
      const parts = readFileSync(path, 'utf8').split(errors)
      if (parts.length !== 10) throw new Error('the tokenizer tells of other errors than it did')
      return { contents: parts.join('0'), loader: 'js' }
    })
  },
}

const SITE_OPTIONS: BuildOptions = { globalName: 'site', plugins: [TOKENS_WITHOUT_ERRORS] }

/** Source of the function that shows a page of a site in the frame, as a string literal. */
export async function siteScript(): Promise<string> {
  // Becomes the body of a function, which returns the exported one.
  return JSON.stringify(`${await compile('site/show-site.ts', SITE_OPTIONS)}return site.showSite`)
}

/** What hook.js has compiled in of a part: its hash, whose beginning is in the path. */
function reference({ sha256 }: Written): string {
  return JSON.stringify(sha256)
}

function hookPath(sha256: string): string {
  return `/hook.${Buffer.from(sha256, 'base64').toString('hex').slice(0, 16)}.js`
}

async function compile(entry: string, options: BuildOptions = {}): Promise<Buffer> {
  return await compileScript(fileURLToPath(new URL(entry, SOURCE)), { plugins: [IDB_WITHOUT_EXTRAS], ...options })
}

/** A page with its script inside, so that showing it is one request. */
async function inlineScript(page: string, entry: string): Promise<Buffer> {
  const html = readFileSync(new URL(page, SOURCE), 'utf8')
  const script = (await compile(entry)).toString().trim()
  if (script.includes('</script')) throw new Error(`${entry} would end its own script element`)
  return Buffer.from(html.replace('<script></script>', () => `<script>${script}</script>`))
}

function compress(bytes: Buffer, params: Record<number, number>): Buffer {
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      ...params,
    },
  })
}

/** Which postfix is best depends on the hashes of other parts in a script: up to 24 bytes of hook.js. */
function compressBest(bytes: Buffer): Buffer {
  const all = [0, 1, 2, 3].map((postfix) => compress(bytes, { [constants.BROTLI_PARAM_NPOSTFIX]: postfix }))
  return all.reduce((best, one) => (one.length < best.length ? one : best))
}

interface Written {
  asset: BuiltAsset
  /** In base64. */
  sha256: string
}

/** Writes built files into a folder. */
function writer(folder: URL) {
  return (name: string, bytes: Buffer, type: string, path: (sha256: string) => string): Written => {
    const compressed = type === 'application/wasm' ? compress(bytes, WASM_PARAMS) : compressBest(bytes)
    writeFileSync(new URL(`${name}.br`, folder), compressed)
    const sha256 = createHash('sha256').update(bytes).digest('base64')
    const integrity = `sha384-${createHash('sha384').update(bytes).digest('base64')}`
    const size = { size: bytes.length, compressed: compressed.length }
    return { asset: { path: path(sha256), type, integrity, ...size }, sha256 }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await buildHook()
  await buildConsole()
}
