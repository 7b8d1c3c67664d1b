import { spawnSync } from 'node:child_process'
import { deployedConfig, EnvironmentError, environmentFiles, PRODUCTION } from './deploy/environment.ts'
import { ROOT, readSettings, WRANGLER, wranglerEnvironment } from './deploy/wrangler.ts'
import { showUsageIfAsked } from './show-usage.ts'

const USAGE = `Usage: npm run d1 -- [--env <name>] <command of wrangler d1> DB [options]
Runs \`wrangler d1\` with the configuration of a deployment, in which the database is called DB. For example:
npm run d1 -- execute DB --remote --command "SELECT COUNT(*) FROM items"`

/** `--env` of this command; all else is Wrangler's. */
function readArguments(given: string[]): { name: string; args: string[] } {
  const [first, name] = given
  return first === '--env' ? { name: name ?? '', args: given.slice(2) } : { name: PRODUCTION, args: given }
}

if (process.argv.length < 3) {
  console.error(USAGE)
  process.exit(2)
}
if (process.argv.length === 3) showUsageIfAsked(USAGE)
try {
  const { name, args } = readArguments(process.argv.slice(2))
  const environment = environmentFiles(name)
  const config = await deployedConfig(environment)
  const env = wranglerEnvironment(await readSettings(environment.settings))
  // Wrangler asks before it restores or imports, so it has the terminal.
  const run = [WRANGLER, 'd1', ...args, '--config', config]
  process.exitCode = spawnSync(process.execPath, run, { cwd: ROOT, env, stdio: 'inherit' }).status ?? 1
} catch (error) {
  if (!(error instanceof EnvironmentError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
