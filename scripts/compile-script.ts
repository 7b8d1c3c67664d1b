import { type BuildOptions, build as bundle } from 'esbuild'
import { minifySync } from 'vite'

/**
 * A script for browsers of 2022 and later (FinalizationRegistry, Object.hasOwn, private fields), which is no module, with all
 * that it imports. `options` are added to those that every script has.
 */
export async function compileScript(entry: string, options: BuildOptions = {}): Promise<Buffer> {
  const { outputFiles = [] } = await bundle({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: ['es2022'],
    legalComments: 'none',
    // What nobody uses of these is left out: tables of constants, registries of classes.
    pure: ['Object.freeze', 'FinalizationRegistry'],
    ...options,
    // The cooperative yields of Node libraries look for `process`.
    define: { 'process.env.NODE_ENV': '"production"', ...options.define },
  })
  const [output] = outputFiles
  if (!output) throw new Error(`nothing was built from ${entry}`)
  // Minified once more by another hand: hook.js is 220 bytes smaller by it (Brotli).
  const { code, errors } = minifySync('script.js', output.text, { module: false, compress: { target: 'es2022' } })
  if (errors.length > 0) throw new Error(`${entry} could not be minified: ${errors[0]?.message}`)
  return Buffer.from(code)
}
