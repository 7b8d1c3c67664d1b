import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

/** The page helper's element. Browsers do not run its type; verify/load-hook.ts starts it when a view is usable. */
const helper: Plugin = {
  name: 'page-helper',
  transformIndexHtml: () => [
    { tag: 'script', attrs: { id: 'hook', type: 'text/plain', src: '/hook.js', async: true }, injectTo: 'head' },
  ],
}

/** The console as hashed files below /console/assets, for browsers of 2022 and later. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  plugins: [helper],
  logLevel: 'warn',
  worker: { format: 'es' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    manifest: 'chunks.json',
    // A data: URL is refused by the console's own policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A chunk of its own: in one that waits for the texts, the session would be asked for after them.
          groups: [{ name: 'session', test: /console\/session\/(access|restore)\.ts$/ }],
        },
      },
    },
  },
})
