import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AdminError } from './admin/make-admin.ts'
import { DeployError, deploy } from './deploy/deploy.ts'
import { EnvironmentError, environmentFiles, environmentOf, PRODUCTION } from './deploy/environment.ts'
import { ROOT, readSettings, runNode, runWrangler, wranglerEnvironment } from './deploy/wrangler.ts'
import { listMigrations, MIGRATIONS, OlderDatabaseError } from './migrations.ts'
import { showUsageIfAsked } from './show-usage.ts'
import { writeBill } from './write-bill.ts'

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

async function readOthers(name: string) {
  const names = readdirSync(ROOT).map(environmentOf)
  const others = names.flatMap((other) => (other === undefined || other === name ? [] : [other]))
  const read = others.map(
    async (other) => [other, (await readSettings(environmentFiles(other).settings)) ?? {}] as const,
  )
  return Object.fromEntries(await Promise.all(read))
}

showUsageIfAsked(USAGE)
try {
  const { check, name } = readArguments()
  const environment = environmentFiles(name)
  const settings = await readSettings(environment.settings)
  const variables = wranglerEnvironment(settings)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      for (const file of [environment.secrets, environment.migration]) rmSync(join(ROOT, file), { force: true })
      console.error('Interrupted. Run the command again: it continues where it was.')
      process.exit(130)
    })
  }
  await deploy(
    {
      environment,
      settings,
      others: await readOthers(name),
      template: await readFile(join(ROOT, 'wrangler.toml'), 'utf8'),
      migrations: { names: listMigrations(), read: (file) => readFile(new URL(file, MIGRATIONS), 'utf8') },
      write: async (file, text) => {
        await writeFile(join(ROOT, file), text, { mode: 0o600 })
        return file
      },
      remove: (file) => rm(join(ROOT, file), { force: true }),
      commit: spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: ROOT }).stdout?.toString().trim(),
      build: async () => {
        const { ok } = await runNode([join(ROOT, 'scripts', 'build.ts')], variables)
        if (!ok) throw new DeployError('The page helper could not be built.')
        console.log(`What this release is made of: ${writeBill(new URL('../dist/', import.meta.url))}`)
      },
      wrangler: (args, options) => runWrangler(args, variables, options),
      print: (line) => console.log(line),
    },
    { checkOnly: check },
  )
} catch (error) {
  const isTold = [DeployError, OlderDatabaseError, AdminError, EnvironmentError].some((kind) => error instanceof kind)
  if (!isTold || !(error instanceof Error)) throw error
  console.error(error.message)
  process.exitCode = 1
}
