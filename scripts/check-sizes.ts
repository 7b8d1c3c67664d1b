import { readFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { BuildManifest } from '../client-hook/build-manifest.ts'
import type { ConsoleManifest } from '../console/build-manifest.ts'
import { LANGUAGES, type Language } from '../contract/languages.ts'
import { buildAuthorWorkers } from './build-author-worker.ts'
import { bundleWorker, readFirstModules } from './bundle-worker.ts'
import { exportSize } from './export-size.ts'

/**
 * Limits in bytes, Brotli-compressed: of the page helper (docs/behaviour/browser.md), the console, and the library; of
 * the Worker by gzip, which is what Cloudflare counts.
 */
const LIMITS = {
  'hook.js': 8 * 1024,
  'hook.js with all for chain content': 72 * 1024,
  'frames, and what else only some pages need': 6 * 1024,
  'the reader of an index': 2 * 1024,
  'the reader of what others wrote': 8 * 1024,
  'what checks proofs': 10 * 1024,
  'what checks the work of Dogecoin': 5 * 1024,
  'what answers a site in a frame': 6 * 1024,
  'what plays media while it comes': 8 * 1024,
  'what shows a site in /frame': 10 * 1024,
  'the worker of a frame': 6 * 1024,
  'the shell of a frame': 2 * 1024,
  'the IPFS node': 96 * 1024,
  'the console, first load': 50_000,
  'the console, texts of the first load': 14_000,
  'the console, all views': 160_000,
  'the console, what compresses chosen files': 400 * 1024,
  'createClient of the library': 28 * 1024,
  'verifyTransaction of the library': 8 * 1024,
  "hookline-worker.js, the author's worker": 44 * 1024,
  'hookline-chain-worker.js, for chains alone': 12 * 1024,
  'the Worker, what it loads at its start (gzip)': 104 * 1024,
}

const manifest: BuildManifest = JSON.parse(
  readFileSync(new URL('../client-hook/dist/manifest.json', import.meta.url), 'utf8'),
)
const files: ConsoleManifest = JSON.parse(
  readFileSync(new URL('../console/dist/manifest.json', import.meta.url), 'utf8'),
)
const size = (...names: (keyof BuildManifest)[]) => names.reduce((sum, name) => sum + manifest[name].compressed, 0)

/** Of the console, in the language that is largest. */
function consoleSize(counts: (file: ConsoleManifest[number]) => boolean): number {
  const of = (wanted: Language) =>
    files
      .filter((file) => counts(file) && (file.language ?? wanted) === wanted)
      .reduce((sum, { compressed }) => sum + compressed, 0)
  return Math.max(...LANGUAGES.map(of))
}

await bundleWorker()
const workers = await buildAuthorWorkers()
const measured: Record<keyof typeof LIMITS, number> = {
  'hook.js': size('hook.js'),
  'hook.js with all for chain content': size('hook.js', 'show.js', 'brotli.wasm', 'frame.html', 'sources.js'),
  'frames, and what else only some pages need': size('lazy.js'),
  'the reader of an index': size('index.js'),
  'the reader of what others wrote': size('named.js'),
  'what checks proofs': size('proof.js'),
  'what checks the work of Dogecoin': size('scrypt.js'),
  'what answers a site in a frame': size('frames.js'),
  'what plays media while it comes': size('streams.js'),
  'what shows a site in /frame': size('site.js'),
  'the worker of a frame': size('worker.js'),
  'the shell of a frame': size('shell.html'),
  'the IPFS node': size('ipfs.js'),
  'the console, first load': consoleSize(({ first }) => first),
  'the console, texts of the first load': consoleSize(({ first, language }) => first && language !== undefined),
  'the console, all views': consoleSize(({ compresses }) => !compresses),
  'the console, what compresses chosen files': files.reduce(
    (sum, { compresses, compressed }) => sum + (compresses ? compressed : 0),
    0,
  ),
  'createClient of the library': await exportSize('createClient'),
  'verifyTransaction of the library': await exportSize('verifyTransaction'),
  "hookline-worker.js, the author's worker": brotliCompressSync(workers['hookline-worker.js']).length,
  'hookline-chain-worker.js, for chains alone': brotliCompressSync(workers['hookline-chain-worker.js']).length,
  'the Worker, what it loads at its start (gzip)': (await readFirstModules()).reduce(
    (sum, { contents }) => sum + gzipSync(contents).length,
    0,
  ),
}

for (const [name, limit] of Object.entries(LIMITS)) {
  const bytes = Object.entries(measured).find(([key]) => key === name)?.[1] ?? Number.POSITIVE_INFINITY
  const verdict = bytes <= limit ? 'ok' : 'TOO LARGE'
  console.log(`${name}: ${bytes.toLocaleString('en')} of ${limit.toLocaleString('en')} bytes, ${verdict}`)
  if (bytes > limit) process.exitCode = 1
}
