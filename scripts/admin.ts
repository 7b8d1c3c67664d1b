import { execFile } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, parseEnv, promisify } from 'node:util'
import { localSql } from './admin/local-sql.ts'
import { AdminError, makeAdmin } from './admin/make-admin.ts'
import { type RunWrangler, remoteSql } from './admin/remote-sql.ts'
import { requestReconciliation } from './admin/request-reconciliation.ts'
import { showUsageIfAsked } from './show-usage.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const WRANGLER = join(fileURLToPath(import.meta.resolve('wrangler')), '..', '..', 'bin', 'wrangler.js')
const PRODUCTION = join(ROOT, 'wrangler.production.toml')
const USAGE = 'Usage: npm run admin -- <email> | reconcile [--remote]'

function readArguments(): { email: string; remote: boolean } {
  const options = { remote: { type: 'boolean', default: false } } as const
  const { values, positionals, tokens } = parseArgs({ options, allowPositionals: true, strict: false, tokens: true })
  const unknown = tokens.some((token) => token.kind === 'option' && token.name !== 'remote')
  const [email, ...rest] = positionals
  if (email === undefined || rest.length > 0 || unknown) throw new AdminError(USAGE)
  return { email, remote: values.remote === true }
}

async function openRemote() {
  await access(PRODUCTION).catch(() => {
    throw new AdminError('Nothing was deployed from here yet. Run `npm run deploy` first.')
  })
  const text = await readFile(join(ROOT, '.env.production'), 'utf8').catch(() => '')
  const env = { ...process.env, ...parseEnv(text) }
  const runWrangler: RunWrangler = async (args) => {
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [WRANGLER, ...args], { cwd: ROOT, env })
      return { ok: true, output: stdout }
    } catch (error) {
      // With --json Wrangler tells its errors on stdout.
      if (!(error instanceof Error && 'stdout' in error && 'stderr' in error)) throw error
      return { ok: false, output: `${error.stdout}${error.stderr}` }
    }
  }
  return remoteSql(runWrangler, PRODUCTION)
}

showUsageIfAsked(USAGE)
try {
  const { email, remote } = readArguments()
  const runSql = remote ? await openRemote() : await localSql(join(ROOT, '.hookline', 'state'))
  if (email === 'reconcile') {
    const { text, agrees } = await requestReconciliation(runSql, { now: Date.now, wait: (ms) => wait(ms) })
    console.log(text)
    if (!agrees) process.exitCode = 1
  } else console.log(await makeAdmin(runSql, email))
} catch (error) {
  if (!(error instanceof AdminError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
