import { isRecord } from '../../worker/platform/http/is-record.ts'
import { remoteSql } from '../admin/remote-sql.ts'
import { findMissing } from '../migrations.ts'
import { checkDeploy, type DeployPlan } from './check-deploy.ts'
import type { LifecycleRule } from './lifecycle-rules.ts'
import { bucketName, databaseName, secretsFile, wranglerConfig } from './wrangler-config.ts'

/** The machine that a deployment runs on, so that the steps can be tested without Cloudflare. */
export interface DeployMachine {
  /** `.env.production`, parsed; `undefined` when there is none. */
  settings: Record<string, string | undefined> | undefined
  /** `wrangler.toml` as it is in the repository. */
  template: string
  /** Writes a file that only the operator can read; returns its path. */
  write: (name: string, text: string) => Promise<string>
  remove: (name: string) => Promise<void>
  /** Builds the page helper. */
  build: () => Promise<void>
  /** Runs Wrangler; what it prints is seen by the operator unless `quiet`. */
  wrangler: (args: string[], options?: { quiet?: boolean }) => Promise<{ ok: boolean; output: string }>
  print: (line: string) => void
}

/** The deployment failed; the message says what to do. */
export class DeployError extends Error {
  override name = 'DeployError'
}

const CONFIG = 'wrangler.production.toml'
const SECRETS_FILE = '.secrets.production.json'
const BEGIN = 'Copy .env.production.example to .env.production and fill it in as docs/operators.md explains.'

/**
 * Checks the configuration, then makes what is missing at Cloudflare, applies the migrations and deploys. Each
 * step can be done again: whoever was interrupted runs the command once more.
 * @throws {DeployError}
 * @throws {OlderDatabaseError}
 * @throws {AdminError} where the database can't be queried
 */
export async function deploy(machine: DeployMachine, { checkOnly = false } = {}): Promise<void> {
  const plan = checkSettings(machine)
  if (checkOnly) return machine.print('The configuration can be deployed.')
  await requireLogin(machine)
  const databaseId = await findDatabase(machine, databaseName(plan.settings))
  const config = await machine.write(CONFIG, wranglerConfig(machine.template, plan, databaseId))
  await refuseOlderDatabase(machine, config)
  await findBucket(machine, bucketName(plan.settings))
  await setLifecycle(machine, bucketName(plan.settings), plan.lifecycle)
  await machine.build()
  const secrets = await machine.write(SECRETS_FILE, secretsFile(plan))
  try {
    // The running version works with the tables before and after a migration, so migrations are applied first.
    await step(machine, ['d1', 'migrations', 'apply', databaseName(plan.settings), '--remote', '--config', config])
    await step(machine, ['deploy', '--config', config, '--secrets-file', secrets])
  } finally {
    await machine.remove(SECRETS_FILE)
  }
  machine.print(`Deployed. ${plan.variables.BASE_URL}/v0/health shows its state.`)
}

function checkSettings({ settings, print }: DeployMachine): DeployPlan {
  if (!settings) throw new DeployError(`There is no .env.production. ${BEGIN}`)
  const checked = checkDeploy(settings)
  if ('problems' in checked) {
    const list = checked.problems.map((problem) => `  - ${problem}`).join('\n')
    throw new DeployError(`.env.production cannot be deployed:\n${list}`)
  }
  for (const warning of checked.warnings) print(`Note: ${warning}.`)
  print('Rate limits use CF-Connecting-IP, which Cloudflare sets itself; it is trusted on Cloudflare only.')
  if (checked.variables.FRONT_KEY) print('Addresses that a proxy signs with FRONT_KEY are trusted instead of it.')
  return checked
}

async function requireLogin({ wrangler }: DeployMachine): Promise<void> {
  const { ok, output } = await wrangler(['whoami'], { quiet: true })
  if (ok && !/not authenticated/i.test(output)) return
  const ways = 'run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN in .env.production'
  throw new DeployError(`You are not logged in to Cloudflare: ${ways}.`)
}

async function findDatabase(machine: DeployMachine, name: string): Promise<string> {
  const existing = await databaseId(machine, name)
  if (existing) return existing
  machine.print(`There is no D1 database "${name}" yet; it is created now.`)
  await step(machine, ['d1', 'create', name])
  const made = await databaseId(machine, name)
  if (!made) throw new DeployError(`The D1 database "${name}" was created but cannot be found. Run the command again.`)
  return made
}

async function databaseId({ wrangler }: DeployMachine, name: string): Promise<string | undefined> {
  const { ok, output } = await wrangler(['d1', 'list', '--json'], { quiet: true })
  if (!ok) throw new DeployError(`The D1 databases cannot be listed:\n${output}`)
  const list: unknown = JSON.parse(output.slice(output.indexOf('[')))
  if (!Array.isArray(list)) throw new DeployError('The D1 databases cannot be listed.')
  const found: unknown = list.find((entry: unknown) => isRecord(entry) && entry.name === name)
  return isRecord(found) && typeof found.uuid === 'string' ? found.uuid : undefined
}

/** @throws {OlderDatabaseError} */
async function refuseOlderDatabase({ wrangler }: DeployMachine, config: string): Promise<void> {
  const runSql = remoteSql((args) => wrangler(args, { quiet: true }), config)
  // Wrangler makes it before the first migration.
  const tables = await runSql("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'")
  const applied = tables.length === 0 ? [] : await runSql('SELECT name FROM d1_migrations')
  findMissing(applied.map((row) => isRecord(row) && row.name))
}

async function findBucket(machine: DeployMachine, name: string): Promise<void> {
  if ((await machine.wrangler(['r2', 'bucket', 'info', name], { quiet: true })).ok) return
  machine.print(`There is no R2 bucket "${name}" yet; it is created now.`)
  await step(machine, ['r2', 'bucket', 'create', name])
}

/**
 * Makes R2 delete old cache objects that anonymous requests caused, in case the Worker's own job does not get to them.
 * Rules with other names stay; an existing rule of the same name would be duplicated. A deployment works without these
 * rules.
 */
async function setLifecycle(machine: DeployMachine, bucket: string, rules: readonly LifecycleRule[]): Promise<void> {
  for (const { name, prefix, days } of rules) {
    await machine.wrangler(['r2', 'bucket', 'lifecycle', 'remove', bucket, '--name', name], { quiet: true })
    const add = ['r2', 'bucket', 'lifecycle', 'add', bucket, name, prefix, '--expire-days', String(days), '--force']
    if ((await machine.wrangler(add, { quiet: true })).ok) continue
    machine.print(
      `Note: the lifecycle rule ${name} of the bucket was not set; the Worker removes old objects by itself.`,
    )
  }
}

async function step({ wrangler }: DeployMachine, args: string[]): Promise<void> {
  const { ok } = await wrangler(args)
  if (!ok) throw new DeployError(`\`wrangler ${args.slice(0, 3).join(' ')}\` failed; the steps after it were not run.`)
}
