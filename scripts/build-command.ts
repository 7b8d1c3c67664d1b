import { chmodSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'

const ROOT = new URL('..', import.meta.url)
const PACKAGE = new URL('client/package.json', ROOT)

/** Where the built files lie. */
export const COMMAND_FILE = fileURLToPath(new URL('client/dist/hookline.js', ROOT))
export const ACTION_FILE = fileURLToPath(new URL('dist/action/index.js', ROOT))

/**
 * Builds the command `hookline` and the GitHub Action: one file each, without dependencies, for Node 20.12 or newer.
 * What only some commands need is evaluated when they run.
 */
export async function buildCommand(outputs: { command?: string; action?: string } = {}): Promise<void> {
  const { command = COMMAND_FILE, action = ACTION_FILE } = outputs
  await compile('cli/main.ts', command, { banner: { js: `#!/usr/bin/env node\n${REQUIRE}` } })
  chmodSync(command, 0o755)
  await compile('cli/action/main.ts', action, { banner: { js: REQUIRE } })
}

// Some of what is bundled asks for Node's own modules by `require`, which modules don't have.
// Node before 20.16 does not hand out its Brotli otherwise, without which the decoder in WebAssembly would be carried along.
const REQUIRE = [
  "import{createRequire as hooklineRequire}from'node:module';",
  'const require=hooklineRequire(import.meta.url);process.getBuiltinModule??=require;',
].join('')

async function compile(entry: string, outfile: string, options: BuildOptions): Promise<void> {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8'))
  await build({
    entryPoints: [fileURLToPath(new URL(entry, ROOT))],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.12',
    legalComments: 'none',
    plugins: [WITHOUT_WASM],
    define: { HOOKLINE_VERSION: JSON.stringify(version) },
    ...options,
  })
}

/** Node has a Brotli decoder of its own. */
const WITHOUT_WASM: Plugin = {
  name: 'without-wasm',
  setup(build) {
    build.onLoad({ filter: /client\/brotli-wasm\.ts$/ }, () => ({
      contents: "export const startWasm = () => Promise.reject(new Error('Node has a Brotli decoder of its own.'))",
    }))
  },
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildCommand()
