import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { DeployError } from './deploy/deploy.ts'
import { deployedConfig, EnvironmentError, environmentFiles, PRODUCTION } from './deploy/environment.ts'
import { rollback } from './deploy/rollback.ts'
import { ROOT, readSettings, runWrangler, wranglerEnvironment } from './deploy/wrangler.ts'
import { showUsageIfAsked } from './show-usage.ts'

const USAGE = `Usage: npm run rollback -- [--env <name>] [<commit or tag>]
Deploys the version of the Worker that Cloudflare has stored of a commit, without building anything. Without a commit the stored
versions are listed.`

function readArguments(): { name: string; wanted: string | undefined } {
  const options = { env: { type: 'string', default: PRODUCTION } } as const
  const { values, positionals, tokens } = parseArgs({ options, allowPositionals: true, strict: false, tokens: true })
  const unknown = tokens.some((token) => token.kind === 'option' && token.name !== 'env')
  if (unknown || positionals.length > 1) throw new DeployError(USAGE)
  return { name: String(values.env), wanted: positionals[0] }
}

/** The name of a version: what is no commit of this checkout is taken as it is. */
function tagOf(wanted: string): string {
  const found = spawnSync('git', ['rev-parse', '--verify', '--quiet', '--short=12', `${wanted}^{commit}`], {
    cwd: ROOT,
  })
  return found.status === 0 ? found.stdout.toString().trim() : wanted
}

showUsageIfAsked(USAGE)
try {
  const { name, wanted } = readArguments()
  const environment = environmentFiles(name)
  const config = await deployedConfig(environment)
  const variables = wranglerEnvironment(await readSettings(environment.settings))
  const wrangler: Parameters<typeof rollback>[0]['wrangler'] = (args, options) => runWrangler(args, variables, options)
  const tag = wanted === undefined ? undefined : tagOf(wanted)
  await rollback({ wrangler, print: (line) => console.log(line) }, config, tag)
} catch (error) {
  if (!(error instanceof DeployError || error instanceof EnvironmentError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
