import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * Bytes, Brotli-compressed, that an application loads at first that imports only `name` from the library: without the
 * parts that come when they are needed.
 */
export async function exportSize(name: string): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export { ${name} } from './client/index.ts'`,
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
    },
    bundle: true,
    minify: true,
    splitting: true,
    metafile: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    external: ['node:*'],
    loader: { '.wasm': 'empty' },
    outdir: 'out',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const loaded = new Set(Object.keys(metafile.outputs).filter((path) => path.endsWith('stdin.js')))
  for (const path of loaded) {
    for (const { path: next, kind } of metafile.outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') loaded.add(next)
    }
  }
  const files = outputFiles.filter(({ path }) => [...loaded].some((one) => path.endsWith(one)))
  return files.reduce((sum, { contents }) => sum + brotliCompressSync(contents).length, 0)
}
