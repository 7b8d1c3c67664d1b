import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'vite'
import type { ConsoleManifest } from '../console/build-manifest.ts'
import { isLanguage, LANGUAGES, type Language } from '../contract/languages.ts'

const SOURCE = new URL('../console/', import.meta.url)
const DIST = new URL('dist/', SOURCE)
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** Builds unless the output is newer than all of its sources; for tests that run without `npm test`. */
export async function buildConsoleIfStale(): Promise<void> {
  const built = statSync(new URL('manifest.json', DIST), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = [
    'console',
    'client',
    'contract',
    'reader',
    'protocol',
    'scripts/build-console.ts',
    'package-lock.json',
  ].flatMap((name) => {
    const path = fileURLToPath(new URL(`../${name}`, import.meta.url))
    return statSync(path).isFile() ? [path] : readdirSync(path, { recursive: true }).map((file) => `${path}/${file}`)
  })
  if (sources.some((path) => !path.includes('/dist') && statSync(path).mtimeMs > built)) await buildConsole()
}

/**
 * Builds the console into console/dist: every file Brotli-compressed, a manifest of them, and `files.pack`, the
 * concatenated compressed files in the order of the manifest, so that a Worker imports one file with a fixed name.
 */
export async function buildConsole(): Promise<ConsoleManifest> {
  await build({ configFile: fileURLToPath(new URL('vite.config.ts', SOURCE)) })
  const names = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((name) => TYPES[extname(name)])
  const chunks: Record<string, Chunk> = JSON.parse(readFileSync(new URL('chunks.json', DIST), 'utf8'))
  const first = firstFiles(chunks)
  const languages = languagesOf(chunks)
  const pack: Buffer[] = []
  const manifest = names.sort().map((name) => {
    const bytes = readFileSync(new URL(name, DIST))
    const compressed = brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_LGWIN]: 24,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    })
    writeFileSync(new URL(`${name}.br`, DIST), compressed)
    pack.push(compressed)
    const page = name === 'index.html'
    const language = languages.get(name)
    return {
      path: page ? '/console' : `/console/${name}`,
      file: `${name}.br`,
      type: TYPES[extname(name)] ?? 'application/octet-stream',
      immutable: !page,
      integrity: `sha384-${createHash('sha384').update(bytes).digest('base64')}`,
      size: bytes.length,
      compressed: compressed.length,
      first: page || first.has(name),
      ...(language && { language }),
      compresses: /^assets\/(compress-worker|brotli_wasm)/.test(name),
    }
  })
  const json = `${JSON.stringify(manifest, null, 2)}\n`
  writeFileSync(new URL('files.pack', DIST), Buffer.concat(pack))
  writeFileSync(new URL('manifest.json.br', DIST), brotliCompressSync(json))
  writeFileSync(new URL('manifest.json', DIST), json)
  return manifest
}

interface Chunk {
  file: string
  imports?: string[]
  css?: string[]
  assets?: string[]
}

/** Files of texts, by what language they are in. @throws if one needs another file, which would wait for it in turn */
function languagesOf(chunks: Record<string, Chunk>): Map<string, Language> {
  const found = new Map<string, Language>()
  for (const [key, { file, imports = [] }] of Object.entries(chunks)) {
    const language = /^texts\/(\w+)\//.exec(key)?.[1]
    if (!isLanguage(language)) continue
    if (imports.length > 0) throw new Error(`${key} must import nothing that runs: ${imports.join(', ')}`)
    found.set(file, language)
  }
  return found
}

/** What a browser loads before the sign-in page is usable: the entry, that view, and all that they import. */
function firstFiles(chunks: Record<string, Chunk>): Set<string> {
  const files = new Set<string>()
  const add = (key: string) => {
    const chunk = chunks[key]
    if (!chunk || files.has(chunk.file)) return
    for (const file of [chunk.file, ...(chunk.css ?? []), ...(chunk.assets ?? [])]) files.add(file)
    for (const imported of chunk.imports ?? []) add(imported)
  }
  for (const entry of ['index.html', 'views/sign-in.tsx', ...LANGUAGES.map((each) => `texts/${each}/texts.ts`)])
    add(entry)
  return files
}
