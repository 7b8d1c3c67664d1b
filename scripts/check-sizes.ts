import { readFileSync } from 'node:fs'
import type { BuildManifest } from '../client-hook/build-manifest.ts'

/** Limits of the page helper in bytes, Brotli-compressed (docs/behaviour.md, section 7). */
const LIMITS = {
  'hook.js': 8 * 1024,
  'hook.js with all for chain content': 72 * 1024,
  'the IPFS node': 96 * 1024,
}

const manifest: BuildManifest = JSON.parse(
  readFileSync(new URL('../client-hook/dist/manifest.json', import.meta.url), 'utf8'),
)
const size = (...names: (keyof BuildManifest)[]) => names.reduce((sum, name) => sum + manifest[name].compressed, 0)

const measured: Record<keyof typeof LIMITS, number> = {
  'hook.js': size('hook.js'),
  'hook.js with all for chain content': size('hook.js', 'show.js', 'brotli.wasm', 'frame.html'),
  'the IPFS node': size('ipfs.js'),
}

for (const [name, limit] of Object.entries(LIMITS)) {
  const bytes = Object.entries(measured).find(([key]) => key === name)?.[1] ?? Number.POSITIVE_INFINITY
  const verdict = bytes <= limit ? 'ok' : 'TOO LARGE'
  console.log(`${name}: ${bytes.toLocaleString('en')} of ${limit.toLocaleString('en')} bytes, ${verdict}`)
  if (bytes > limit) process.exitCode = 1
}
