import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { localSql } from './admin/local-sql.ts'
import { AdminError, makeAdmin, type RunSql } from './admin/make-admin.ts'
import { remoteSql } from './admin/remote-sql.ts'
import { requestReconciliation } from './admin/request-reconciliation.ts'
import { deployedConfig, EnvironmentError, environmentFiles, PRODUCTION } from './deploy/environment.ts'
import { ROOT, readSettings, runWrangler, wranglerEnvironment } from './deploy/wrangler.ts'
import { showUsageIfAsked } from './show-usage.ts'

const USAGE = 'Usage: npm run admin -- <email> | reconcile [--remote [--env <name>]]'

function readArguments(): { email: string; remote: boolean; name: string } {
  const options = { remote: { type: 'boolean', default: false }, env: { type: 'string', default: PRODUCTION } } as const
  const { values, positionals, tokens } = parseArgs({ options, allowPositionals: true, strict: false, tokens: true })
  const unknown = tokens.some((token) => token.kind === 'option' && token.name !== 'remote' && token.name !== 'env')
  const [email, ...rest] = positionals
  if (email === undefined || rest.length > 0 || unknown) throw new AdminError(USAGE)
  return { email, remote: values.remote === true, name: String(values.env) }
}

async function openRemote(name: string): Promise<RunSql> {
  const environment = environmentFiles(name)
  const config = await deployedConfig(environment)
  const variables = wranglerEnvironment(await readSettings(environment.settings))
  return remoteSql((args) => runWrangler(args, variables, { quiet: true }), config)
}

showUsageIfAsked(USAGE)
try {
  const { email, remote, name } = readArguments()
  const runSql = remote ? await openRemote(name) : await localSql(join(ROOT, '.hookline', 'state'))
  if (email === 'reconcile') {
    const { text, agrees } = await requestReconciliation(runSql, { now: Date.now, wait: (ms) => wait(ms) })
    console.log(text)
    if (!agrees) process.exitCode = 1
  } else console.log(await makeAdmin(runSql, email))
} catch (error) {
  if (!(error instanceof AdminError || error instanceof EnvironmentError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
