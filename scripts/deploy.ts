import { spawn } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, parseEnv } from 'node:util'
import { AdminError } from './admin/make-admin.ts'
import { DeployError, type DeployMachine, deploy } from './deploy/deploy.ts'
import { OlderDatabaseError } from './migrations.ts'
import { showUsageIfAsked } from './show-usage.ts'
import { writeBill } from './write-bill.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const WRANGLER = join(fileURLToPath(import.meta.resolve('wrangler')), '..', '..', 'bin', 'wrangler.js')
const USAGE = 'Usage: npm run deploy, or npm run deploy -- --check'

/** Runs a Node program in the repository. What it prints is shown at once unless `quiet`. */
function run(args: string[], environment: NodeJS.ProcessEnv, quiet: boolean): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, env: environment, stdio: ['inherit', 'pipe', 'pipe'] })
    let output = ''
    for (const [stream, terminal] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ] as const) {
      stream.on('data', (part: Buffer) => {
        if (stream === child.stdout) output += part.toString()
        if (!quiet) terminal.write(part)
      })
    }
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  })
}

async function readSettings(): Promise<DeployMachine['settings']> {
  const text = await readFile(join(ROOT, '.env.production'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : parseEnv(text)
}

function readArguments(): { check: boolean } {
  const { values, positionals, tokens } = parseArgs({
    options: { check: { type: 'boolean', default: false } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const unknown = tokens.some((token) => token.kind === 'option' && token.name !== 'check')
  // Whoever mistyped "--check" did not want to deploy.
  if (unknown || positionals.length > 0) throw new DeployError(USAGE)
  return { check: values.check === true }
}

showUsageIfAsked(USAGE)
const settings = await readSettings()
const { CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN } = settings ?? {}
const environment = {
  ...process.env,
  ...(CLOUDFLARE_ACCOUNT_ID ? { CLOUDFLARE_ACCOUNT_ID } : {}),
  ...(CLOUDFLARE_API_TOKEN ? { CLOUDFLARE_API_TOKEN } : {}),
}

try {
  const { check } = readArguments()
  await deploy(
    {
      settings,
      template: await readFile(join(ROOT, 'wrangler.toml'), 'utf8'),
      write: async (name, text) => {
        await writeFile(join(ROOT, name), text, { mode: 0o600 })
        return name
      },
      remove: (name) => rm(join(ROOT, name), { force: true }),
      build: async () => {
        const { ok } = await run([join(ROOT, 'scripts', 'build.ts')], environment, false)
        if (!ok) throw new DeployError('The page helper could not be built.')
        console.log(`What this release is made of: ${writeBill(new URL('../dist/', import.meta.url))}`)
      },
      wrangler: (args, { quiet = false } = {}) => run([WRANGLER, ...args], environment, quiet),
      print: (line) => console.log(line),
    },
    { checkOnly: check },
  )
} catch (error) {
  const isTold = [DeployError, OlderDatabaseError, AdminError].some((kind) => error instanceof kind)
  if (!isTold || !(error instanceof Error)) throw error
  console.error(error.message)
  process.exitCode = 1
}
