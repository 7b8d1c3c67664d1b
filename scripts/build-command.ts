import { chmodSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { linkCommand } from './link-command.ts'
import { operatorsCheckpoints } from './operators-checkpoints.ts'

const ROOT = new URL('..', import.meta.url)

/** The folder of the built files. */
export const COMMAND_FILE = fileURLToPath(new URL('client/dist/hookline.js', ROOT))
export const ACTION_FILE = fileURLToPath(new URL('dist/action/index.js', ROOT))

/** Builds the command `hookline`: one file without dependencies, for Node 20.12 or newer. It has checkpoints compiled in. */
export async function buildCommand(outfile = COMMAND_FILE, checkpoints = operatorsCheckpoints()): Promise<void> {
  const define = { CHECKPOINTS: JSON.stringify(checkpoints) }
  await compile({ entry: 'cli/main.ts', outfile, banner: `#!/usr/bin/env node\n${REQUIRE}`, define })
  chmodSync(outfile, 0o755)
}

/** Builds the GitHub Action as one file that a release includes, since a workflow installs nothing. */
export async function buildAction(outfile = ACTION_FILE): Promise<void> {
  await compile({ entry: 'cli/action/main.ts', outfile, banner: REQUIRE })
}

// Node before 20.16 exposes its Brotli only like this; otherwise the WebAssembly decoder would be bundled.
const REQUIRE = [
  "import{createRequire as hooklineRequire}from'node:module';",
  'const require=hooklineRequire(import.meta.url);process.getBuiltinModule??=require;',
].join('')

interface Compiled {
  entry: string
  outfile: string
  banner: string
  define?: Record<string, string>
}

async function compile({ entry, outfile, banner, define = {} }: Compiled): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL(entry, ROOT))],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.12',
    legalComments: 'none',
    plugins: [WITHOUT_BROWSER, NODE_WHEN_USED],
    banner: { js: banner },
    define,
  })
}

/**
 * Requires modules of Node when the importing module is evaluated. As imports they would all be evaluated at the start,
 * which is slower than everything else that `--version` does.
 */
const NODE_WHEN_USED: Plugin = {
  name: 'node-when-used',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path, namespace }) => {
      if (!isBuiltin(path)) return undefined
      return namespace === 'node' ? { path, external: true } : { path, namespace: 'node' }
    })
    build.onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/** Node has a Brotli decoder and files of its own; what only browsers reach would be parsed at each start. */
const WITHOUT_BROWSER: Plugin = {
  name: 'without-browser',
  setup(build) {
    for (const [file, name] of [
      ['brotli-wasm', 'startWasm'],
      ['stores/indexed-db-store', 'openIndexedDbStore'],
      ['stores/local-storage-store', 'openLocalStorageStore'],
    ]) {
      build.onLoad({ filter: new RegExp(`client/${file}\\.ts$`) }, () => ({
        contents: `export const ${name} = () => Promise.reject(new Error('Node has its own.'))`,
      }))
    }
  },
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await buildCommand()
  await buildAction()
  linkCommand(fileURLToPath(ROOT))
}
