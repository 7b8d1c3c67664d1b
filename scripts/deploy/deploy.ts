import { CACHE_DAYS } from '../../worker/platform/config/fixed-limits.ts'
import { isRecord } from '../../worker/platform/http/is-record.ts'
import type { RunSql } from '../admin/make-admin.ts'
import { remoteSql } from '../admin/remote-sql.ts'
import { RESTORED_MARK } from '../backup/repair-money.ts'
import { checkDeploy, type DeployPlan } from './check-deploy.ts'
import { findCollisions } from './find-collisions.ts'
import type { DeployMachine } from './machine.ts'
import { findMissingMigrations, migrate } from './migrate.ts'
import { uploadTiles } from './upload-tiles.ts'
import { errorText, isUnreachable } from './wrangler.ts'
import { bucketName, databaseName, secretsFile, workerName, wranglerConfig } from './wrangler-config.ts'

/** The deployment failed; the message says what to do. */
export class DeployError extends Error {
  override name = 'DeployError'
}

/**
 * The rules by which R2 itself removes what strangers filled, a day later than the Worker's own job, which removes the index
 * of packs first. Everything else in the bucket stays until the Worker removes it.
 */
const LIFECYCLE_RULES = [
  { name: 'hookline-chain-cache', prefix: 'chain/', days: CACHE_DAYS + 2 },
  { name: 'hookline-ipfs-cache', prefix: 'ipfs/cache/', days: CACHE_DAYS + 1 },
  { name: 'hookline-ipns-records', prefix: 'ipfs/ipns/', days: CACHE_DAYS + 1 },
]

/**
 * Checks the configuration, then makes what is missing at Cloudflare, applies the migrations and deploys. Each
 * step can be done again: whoever was interrupted runs the command once more.
 * @throws {DeployError}
 * @throws {OlderDatabaseError}
 * @throws {AdminError} where the database can't be queried
 */
export async function deploy(machine: DeployMachine, { checkOnly = false } = {}): Promise<void> {
  if (checkOnly) return await check(machine)
  const plan = checkSettings(machine)
  const { environment } = machine
  await requireLogin(machine)
  const { config, runSql, missing } = await openDatabase(machine, plan)
  await refuseRenamedWorker(
    machine,
    workerName(plan.settings),
    runSql,
    missing.length < machine.migrations.names.length,
  )
  await findBucket(machine, bucketName(plan.settings))
  await setLifecycle(machine, bucketName(plan.settings))
  await machine.build()
  await uploadProof(machine, bucketName(plan.settings))
  const secrets = await machine.write(environment.secrets, secretsFile(plan))
  try {
    // The running version works with the tables before and after a migration, so migrations are applied first.
    await migrate(machine, missing, config, (args) => step(machine, args))
    await step(machine, [
      'deploy',
      '--config',
      config,
      '--secrets-file',
      secrets,
      ...(machine.commit ? ['--tag', machine.commit] : []),
    ])
  } finally {
    await machine.remove(environment.secrets)
  }
  machine.print(`Deployed. ${plan.variables.BASE_URL}/v0/health shows its state.`)
}

/** Says all that is wrong with the settings, with Cloudflare, the nodes and the mail provider, and changes nothing. */
async function check(machine: DeployMachine): Promise<void> {
  const { settings, preflight, print } = machine
  const found = settings ? await preflight?.() : undefined
  checkSettings(machine, found?.problems)
  for (const note of found?.notes ?? []) print(`Note: ${note}.`)
  if (!found) print('Cloudflare, the nodes and the mail provider were not asked: that needs CLOUDFLARE_API_TOKEN.')
  print('The configuration can be deployed.')
}

/** The database of an environment, and what has to be done before it can be used. */
interface OpenDatabase {
  /** The file of Wrangler's configuration, in which it is called DB. */
  config: string
  runSql: RunSql
  /** The migrations that it lacks. */
  missing: string[]
}

/** Finds the database of an environment, which is made where there is none. @throws as {@link deploy} */
export async function openDatabase(machine: DeployMachine, plan: DeployPlan): Promise<OpenDatabase> {
  const databaseId = await findDatabase(machine, plan.settings)
  const config = await machine.write(machine.environment.config, wranglerConfig(machine.template, plan, databaseId))
  const runSql = remoteSql((args) => machine.wrangler(args, { quiet: true }), config)
  return { config, runSql, missing: await findMissingMigrations(runSql, machine.migrations) }
}

/** What an environment's settings come to. @throws {DeployError} with all problems at once */
export function checkSettings(
  { environment, settings, others, print }: DeployMachine,
  found: readonly string[] = [],
): DeployPlan {
  const file = environment.settings
  if (!settings) {
    throw new DeployError(
      `There is no ${file}. Copy .env.production.example to ${file} and fill it in as docs/operate/cloudflare.md explains.`,
    )
  }
  const checked = checkDeploy(settings)
  const problems = [...('problems' in checked ? checked.problems : []), ...findCollisions(settings, others), ...found]
  if ('problems' in checked || problems.length > 0) {
    const list = problems.map((problem) => `  - ${problem}`).join('\n')
    throw new DeployError(`${file} cannot be deployed:\n${list}`)
  }
  for (const warning of checked.warnings) print(`Note: ${warning}.`)
  print('Rate limits use CF-Connecting-IP, which Cloudflare sets itself; it is trusted on Cloudflare only.')
  if (checked.variables.FRONT_KEY) print('Addresses that a proxy signs with FRONT_KEY are trusted instead of it.')
  return checked
}

export async function requireLogin({ wrangler, environment }: DeployMachine): Promise<void> {
  const result = await wrangler(['whoami'], { quiet: true })
  const isAnonymous = /not authenticated/i.test(result.output)
  if (result.ok && !isAnonymous) return
  if (isUnreachable(result)) {
    throw new DeployError('Cloudflare cannot be reached from this machine. Run the command again when it has network.')
  }
  const ways = `run \`npx wrangler login\`, or set CLOUDFLARE_API_TOKEN in ${environment.settings}`
  const reason = isAnonymous ? '' : `\n${errorText(result)}`
  throw new DeployError(`You are not logged in to Cloudflare: ${ways}.${reason}`)
}

async function findDatabase(machine: DeployMachine, settings: DeployPlan['settings']): Promise<string> {
  const name = databaseName(settings)
  const existing = await databaseId(machine, name)
  if (existing) return existing
  machine.print(`There is no D1 database "${name}" yet; it is created now.`)
  const location = settings.D1_LOCATION ? ['--location', settings.D1_LOCATION] : []
  await step(machine, ['d1', 'create', name, ...location])
  const made = await databaseId(machine, name)
  if (!made) throw new DeployError(`The D1 database "${name}" was created but cannot be found. Run the command again.`)
  return made
}

async function databaseId({ wrangler }: DeployMachine, name: string): Promise<string | undefined> {
  const result = await wrangler(['d1', 'list', '--json'], { quiet: true })
  if (!result.ok) throw new DeployError(`The D1 databases cannot be listed:\n${errorText(result)}`)
  const list: unknown = JSON.parse(result.output.slice(result.output.indexOf('[')))
  if (!Array.isArray(list)) throw new DeployError('The D1 databases cannot be listed.')
  const found: unknown = list.find((entry: unknown) => isRecord(entry) && entry.name === name)
  return isRecord(found) && typeof found.uuid === 'string' ? found.uuid : undefined
}

/**
 * A Worker of another name has other objects: it would number payouts from 1 again and not know what the first one signed.
 * A database that a Worker used is therefore deployed only with a name that exists.
 */
async function refuseRenamedWorker(
  { wrangler, environment }: DeployMachine,
  name: string,
  runSql: RunSql,
  isMigrated: boolean,
): Promise<void> {
  // What was restored from a copy has been used by no Worker yet.
  const used = `SELECT 1 FROM chain_states WHERE mark IS NULL OR mark NOT LIKE '${RESTORED_MARK}%' LIMIT 1`
  if (!isMigrated || (await runSql(used)).length === 0) return
  const result = await wrangler(['deployments', 'list', '--name', name, '--json'], { quiet: true })
  if (result.ok) return
  if (!/10007|does not exist/.test(`${result.output}${result.errors}`)) {
    throw new DeployError(`The deployments of the Worker "${name}" cannot be listed:\n${errorText(result)}`)
  }
  throw new DeployError(
    `The database is used by a Worker of another name, and there is no Worker "${name}". Its objects hold numbers of payouts that a new one would lack: set WORKER_NAME in ${environment.settings} as it was, or use another database and bucket.`,
  )
}

export async function findBucket(machine: DeployMachine, name: string): Promise<void> {
  if ((await machine.wrangler(['r2', 'bucket', 'info', name], { quiet: true })).ok) return
  machine.print(`There is no R2 bucket "${name}" yet; it is created now.`)
  await step(machine, ['r2', 'bucket', 'create', name])
}

/**
 * Makes R2 delete old cache objects that anonymous requests caused, in case the Worker's own job does not get to them.
 * Rules with other names stay; a rule is replaced where it differs, since one of the same name would be duplicated. A
 * deployment works without these rules.
 */
async function setLifecycle(machine: DeployMachine, bucket: string): Promise<void> {
  const lifecycle = (args: string[]) => machine.wrangler(['r2', 'bucket', 'lifecycle', ...args], { quiet: true })
  const existing = readRules((await lifecycle(['list', bucket])).output)
  for (const { name, prefix, days } of LIFECYCLE_RULES) {
    const set = existing.get(name)
    if (set?.prefix === prefix && set.days === days) continue
    if (set) await lifecycle(['remove', bucket, '--name', name])
    if ((await lifecycle(['add', bucket, name, prefix, '--expire-days', String(days), '--force'])).ok) continue
    machine.print(
      `Note: the lifecycle rule ${name} of the bucket was not set; the Worker removes old objects by itself.`,
    )
  }
}

/** The rules by name, as `wrangler r2 bucket lifecycle list` prints them; 0 days where one deletes nothing. */
function readRules(output: string): Map<string, { prefix: string; days: number }> {
  const rules = output.matchAll(/^name: +(\S+)\nenabled: +Yes\nprefix: +(.*)\naction: +(.*)$/gm)
  return new Map(
    [...rules].map(([, name = '', prefix = '', action = '']) => {
      const [, days] = /^Expire objects after (\d+) days?$/.exec(action) ?? []
      return [name, { prefix, days: Number(days ?? 0) }]
    }),
  )
}

/** Before the Worker that serves them: helpers of this build ask for what was pinned. */
async function uploadProof(machine: DeployMachine, bucket: string): Promise<void> {
  const put = (list: string) => step(machine, ['r2', 'bulk', 'put', bucket, '--filename', list, '--remote', '--force'])
  const count = await uploadTiles(machine.proof, bucket, put)
  if (count > 0) machine.print(`${count} tiles of checkpoints were uploaded.`)
}

export async function step({ wrangler }: DeployMachine, args: string[]): Promise<void> {
  const { ok } = await wrangler(args)
  if (!ok) throw new DeployError(`\`wrangler ${args.slice(0, 3).join(' ')}\` failed; the steps after it were not run.`)
}
