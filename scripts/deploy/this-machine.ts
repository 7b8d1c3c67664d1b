import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAccount } from '../cloudflare/account.ts'
import { listMigrations, MIGRATIONS } from '../migrations.ts'
import { writeBill } from '../write-bill.ts'
import { DeployError } from './deploy.ts'
import { type Environment, environmentFiles, environmentOf } from './environment.ts'
import type { DeployMachine } from './machine.ts'
import { preflight } from './preflight.ts'
import { ROOT, readSettings, runNode, runWrangler, wranglerEnvironment } from './wrangler.ts'

/** This checkout, its settings of an environment, and Wrangler. */
export async function thisMachine(environment: Environment): Promise<DeployMachine> {
  const settings = await readSettings(environment.settings)
  const variables = wranglerEnvironment(settings)
  return {
    environment,
    settings,
    others: await readOthers(environment.name),
    template: await readFile(join(ROOT, 'wrangler.toml'), 'utf8'),
    migrations: { names: listMigrations(), read: (file) => readFile(join(MIGRATIONS, file), 'utf8') },
    write: async (file, text) => {
      await writeFile(join(ROOT, file), text, { mode: 0o600 })
      return file
    },
    remove: (file) => rm(join(ROOT, file), { force: true }),
    commit: spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: ROOT }).stdout?.toString().trim(),
    preflight: hasToken(variables)
      ? async () => await preflight(await openAccount(variables), settings ?? {})
      : undefined,
    proof: join(ROOT, 'proof'),
    build: async () => {
      const { ok } = await runNode([join(ROOT, 'scripts', 'build.ts')], variables)
      if (!ok) throw new DeployError('The page helper could not be built.')
      console.log(`What this release is made of: ${writeBill(new URL('../../dist/', import.meta.url))}`)
    },
    wrangler: (args, options) => runWrangler(args, variables, options),
    print: (line) => console.log(line),
  }
}

function hasToken({ CLOUDFLARE_API_TOKEN }: NodeJS.ProcessEnv): boolean {
  return Boolean(CLOUDFLARE_API_TOKEN)
}

async function readOthers(name: string) {
  const names = readdirSync(ROOT).map(environmentOf)
  const others = names.flatMap((other) => (other === undefined || other === name ? [] : [other]))
  const read = others.map(
    async (other) => [other, (await readSettings(environmentFiles(other).settings)) ?? {}] as const,
  )
  return Object.fromEntries(await Promise.all(read))
}

/** Removes what only a running command has, when it is interrupted. */
export function removeWhenInterrupted({ secrets, migration }: Environment): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      for (const file of [secrets, migration]) rmSync(join(ROOT, file), { force: true })
      console.error('Interrupted. Run the command again: it continues where it was.')
      process.exit(130)
    })
  }
}
