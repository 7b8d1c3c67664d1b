import { parseArgs } from 'node:util'
import { AdminError } from './admin/make-admin.ts'
import { DeployError, deploy } from './deploy/deploy.ts'
import { EnvironmentError, environmentFiles, PRODUCTION } from './deploy/environment.ts'
import { removeWhenInterrupted, thisMachine } from './deploy/this-machine.ts'
import { OlderDatabaseError } from './migrations.ts'
import { showUsageIfAsked } from './show-usage.ts'

const USAGE = 'Usage: npm run deploy -- [--env <name>] [--check]'

function readArguments(): { check: boolean; name: string } {
  const { values, positionals, tokens } = parseArgs({
    options: { check: { type: 'boolean', default: false }, env: { type: 'string', default: PRODUCTION } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const unknown = tokens.some((token) => token.kind === 'option' && token.name !== 'check' && token.name !== 'env')
  // Whoever mistyped "--check" did not want to deploy.
  if (unknown || positionals.length > 0) throw new DeployError(USAGE)
  return { check: values.check === true, name: String(values.env) }
}

showUsageIfAsked(USAGE)
try {
  const { check, name } = readArguments()
  const environment = environmentFiles(name)
  removeWhenInterrupted(environment)
  await deploy(await thisMachine(environment), { checkOnly: check })
} catch (error) {
  const isTold = [DeployError, OlderDatabaseError, AdminError, EnvironmentError].some((kind) => error instanceof kind)
  if (!isTold || !(error instanceof Error)) throw error
  console.error(error.message)
  process.exitCode = 1
}
