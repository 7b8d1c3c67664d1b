import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { compileScript } from './compile-script.ts'

/** What a browser asks for in a page: their endings alone say their types. */
const USED_IN_PAGES =
  /^(?:image|audio|video|font)\/|^text\/(?:css|csv|html|javascript|markdown|plain|vtt)\b|^application\/(?:json|wasm|xml|pdf|vnd\.apple\.mpegurl|dash\+xml|manifest\+json|ogg) /

/** The decoder's file: the same bytes as `dist/brotli.wasm` of the package. */
const WASM = createRequire(import.meta.url).resolve('brotli-dec-wasm/web/bg.wasm')

/** Files of the author's worker, by their names. */
export type AuthorWorkerFiles = Record<'hookline-worker.js' | 'hookline-chain-worker.js', Buffer>

/**
 * Builds the files that an author copies to the site: the worker, and the one for chains alone. The hash of the Brotli decoder,
 * which both fetch where a browser has none, is compiled into them.
 */
export async function buildAuthorWorkers(): Promise<AuthorWorkerFiles> {
  const hash = createHash('sha384').update(readFileSync(WASM)).digest('base64')
  const [main, chain] = await Promise.all(['main', 'chain-main'].map((name) => compile(name, `sha384-${hash}`)))
  if (!main || !chain) throw new Error('nothing was built')
  return { 'hookline-worker.js': main, 'hookline-chain-worker.js': chain }
}

async function compile(name: string, integrity: string): Promise<Buffer> {
  // Not a module: Firefox has no workers of these, and a page has it as a script.
  return await compileScript(fileURLToPath(new URL(`../client/worker/${name}.ts`, import.meta.url)), {
    define: { 'Symbol.dispose': 'undefined', BROTLI_INTEGRITY: JSON.stringify(integrity) },
    plugins: [ownBrotli, fewTypes],
  })
}

/** A service worker cannot import on demand: the decoder is a file that it fetches. */
const ownBrotli: Plugin = {
  name: 'own-brotli',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/brotli-wasm\.ts$/ }, () => ({
      path: fileURLToPath(new URL('../client/worker/brotli-file.ts', import.meta.url)),
    }))
  },
}

/** 6 KB less (Brotli) than with all types. */
const fewTypes: Plugin = {
  name: 'few-types',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]generated[\\/]media-types\.ts$/ }, ({ path }) => {
      const lines = readFileSync(path, 'utf8').split('\n')
      const first = lines.findIndex((line) => line.startsWith('export const'))
      // The list begins on the line of its name.
      const types = lines.slice(first).join('\n').split('`')[1]?.split('\n') ?? []
      const kept = types.filter((line) => USED_IN_PAGES.test(line))
      return { contents: `export const MEDIA_TYPES = ${JSON.stringify(`${kept.join('\n')}\n`)}`, loader: 'js' }
    })
  },
}
