import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { checkDeploy } from '../../../scripts/deploy/check-deploy.ts'
import { deploy } from '../../../scripts/deploy/deploy.ts'
import { environmentFiles } from '../../../scripts/deploy/environment.ts'
import type { DeployMachine } from '../../../scripts/deploy/machine.ts'
import { wranglerConfig } from '../../../scripts/deploy/wrangler-config.ts'
import { SETTINGS } from './settings.ts'

const TEMPLATE = await readFile(new URL('../../../wrangler.toml', import.meta.url), 'utf8')

/** What Wrangler prints for a query. */
const rows = (results: unknown[]) => ({ ok: true, output: JSON.stringify([{ results, success: true }]), errors: '' })

const FILES: Record<string, string> = {
  '0001_schema.sql': 'CREATE TABLE a (b);\nCREATE TRIGGER c AFTER INSERT ON a BEGIN\n  DELETE FROM a;\nEND;',
  '0002_column.sql': 'ALTER TABLE a ADD COLUMN d;',
}

interface Account {
  database: boolean
  bucket: boolean
  loggedIn: boolean
  /** Migrations of its database; `undefined` where it has no tables. */
  applied: string[] | undefined
  /** Whether a Worker has worked with the database. */
  used: boolean
  /** Whether there is a Worker of the name in the settings. */
  worker: boolean
  /** How a command that fails begins, and what is then written to standard error. */
  failing: string | undefined
  errors: string
  /** What Wrangler prints of the bucket's rules. */
  rules: string
}

const EXISTING: Account = {
  database: true,
  bucket: true,
  loggedIn: true,
  applied: undefined,
  used: false,
  worker: true,
  failing: undefined,
  errors: 'no',
  rules: '',
}

/** A Cloudflare account, and a machine that deploys to it. */
function account(given: Partial<Account> = {}) {
  const state = { ...EXISTING, ...given }
  const seen = {
    commands: [] as string[],
    files: new Map<string, string>(),
    written: [] as string[],
    printed: [] as string[],
  }
  const machine: DeployMachine = {
    environment: environmentFiles('production'),
    settings: SETTINGS,
    others: {},
    template: TEMPLATE,
    proof: '/nowhere',
    migrations: { names: ['0001_schema.sql'], read: async (name) => FILES[name] ?? '' },
    write: async (name, text) => {
      seen.files.set(name, text)
      seen.written.push(text)
      return name
    },
    remove: async (name) => void seen.files.delete(name),
    commit: '0123456789ab',
    build: async () => void seen.commands.push('build'),
    print: (line) => void seen.printed.push(line),
    wrangler: async (args) => {
      const command = args.join(' ')
      seen.commands.push(command)
      const printed = (output: string) => ({ ok: true, output, errors: '' })
      const { failing, errors } = state
      if (failing && command.startsWith(failing)) return { ok: false, output: '', errors }
      if (command === 'whoami') return printed(state.loggedIn ? 'You are logged in' : 'You are not authenticated.')
      if (command.includes('FROM sqlite_master')) return rows(state.applied ? [{ 1: 1 }] : [])
      if (command.endsWith('FROM d1_migrations')) return rows((state.applied ?? []).map((name) => ({ name })))
      if (command.includes('FROM chain_states')) return rows(state.used ? [{ 1: 1 }] : [])
      if (command.startsWith('deployments list') && !state.worker) {
        return { ok: false, output: '', errors: 'This Worker does not exist on your account. [code: 10007]' }
      }
      if (command.startsWith('r2 bucket lifecycle list')) return printed(state.rules)
      if (command.startsWith('d1 create hookline')) state.database = true
      if (command === 'r2 bucket create hookline') state.bucket = true
      if (command === 'd1 list --json') {
        const others = [{ uuid: 'other', name: 'hookline-old' }]
        return printed(JSON.stringify(state.database ? [...others, { uuid: 'd1-id', name: 'hookline' }] : others))
      }
      return { ok: command.startsWith('r2 bucket info') ? state.bucket : true, output: '', errors: '' }
    },
  }
  return { machine, seen }
}

const ASK =
  "d1 execute DB --remote --config wrangler.production.toml --json --command SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'"
const MIGRATE = 'd1 execute DB --remote --yes --config wrangler.production.toml --file=.migration.production.sql'
const APPLY = 'd1 migrations apply DB --remote --config wrangler.production.toml'
const DEPLOY = 'deploy --config wrangler.production.toml --secrets-file .secrets.production.json --tag 0123456789ab'

describe('npm run deploy', () => {
  it('migrates, then deploys, and leaves no secret behind', async () => {
    const { machine, seen } = account()
    await deploy(machine)
    const steps = seen.commands.filter((command) => !command.startsWith('r2 bucket lifecycle'))
    expect(steps).toEqual(['whoami', 'd1 list --json', ASK, 'r2 bucket info hookline', 'build', MIGRATE, DEPLOY])
    expect([...seen.files.keys()]).toEqual(['wrangler.production.toml'])
    expect(seen.files.get('wrangler.production.toml')).not.toMatch(/password|mail-token|cf-token/)
    expect(seen.written.some((text) => text.includes('mail-token'))).toBe(true)
  })

  it('has R2 remove what strangers filled by its age, each rule once, and nothing else', async () => {
    const { machine, seen } = account()
    await deploy(machine)
    const rules = seen.commands.filter((command) => command.startsWith('r2 bucket lifecycle'))
    expect(rules).toEqual([
      'r2 bucket lifecycle list hookline',
      'r2 bucket lifecycle add hookline hookline-chain-cache chain/ --expire-days 32 --force',
      'r2 bucket lifecycle add hookline hookline-ipfs-cache ipfs/cache/ --expire-days 31 --force',
      'r2 bucket lifecycle add hookline hookline-ipns-records ipfs/ipns/ --expire-days 31 --force',
    ])
  })

  it('leaves a rule that is right as it is, and replaces one that is not', async () => {
    const rule = (name: string, prefix: string, action: string) =>
      `name:     ${name}\nenabled:  Yes\nprefix:   ${prefix}\naction:   ${action}\n`
    const { machine, seen } = account({
      rules: [
        rule('of-the-operator', '(all prefixes)', 'Abort incomplete multipart uploads after 7 days'),
        rule('hookline-chain-cache', 'chain/', 'Expire objects after 32 days'),
        rule('hookline-ipfs-cache', 'ipfs/cache/', 'Expire objects after 3 days'),
      ].join('\n'),
    })
    await deploy(machine)
    const rules = seen.commands.filter((command) => command.startsWith('r2 bucket lifecycle'))
    expect(rules.map((command) => command.split(' ').slice(3, 7).join(' '))).toEqual([
      'list hookline',
      'remove hookline --name hookline-ipfs-cache',
      'add hookline hookline-ipfs-cache ipfs/cache/',
      'add hookline hookline-ipns-records ipfs/ipns/',
    ])
  })

  it('continues without the rules where they cannot be set, and says so', async () => {
    const { machine, seen } = account({ failing: 'r2 bucket lifecycle' })
    await deploy(machine)
    expect(seen.commands.at(-1)).toBe(DEPLOY)
    expect(seen.printed.join('\n')).toContain('hookline-chain-cache')
  })

  it('creates the database and the bucket where there are none', async () => {
    const { machine, seen } = account({ database: false, bucket: false })
    await deploy(machine)
    expect(seen.commands).toEqual(expect.arrayContaining(['d1 create hookline', 'r2 bucket create hookline', DEPLOY]))
  })

  it('does nothing at Cloudflare with a configuration that cannot work there, and names every problem', async () => {
    const { machine, seen } = account()
    machine.settings = { ...SETTINGS, RPC_BITCOIN: 'https://203.0.113.9/', BASE_URL: 'http://localhost:8787' }
    await expect(deploy(machine)).rejects.toThrow(/BASE_URL is not https[\s\S]*RPC_BITCOIN is an IP address/)
    expect(seen.commands).toEqual([])
    expect(seen.written).toEqual([])
  })

  it('says where to begin when there is no configuration', async () => {
    const { machine } = account()
    machine.settings = undefined
    await expect(deploy(machine)).rejects.toThrow(/\.env\.production\.example/)
  })

  it('says how to log in', async () => {
    const { machine, seen } = account({ loggedIn: false })
    await expect(deploy(machine)).rejects.toThrow(/wrangler login/)
    expect(seen.commands).toEqual(['whoami'])
  })

  it('says that Cloudflare cannot be reached where it cannot, which is not the login', async () => {
    const { machine } = account({ failing: 'whoami', errors: '✘ [ERROR] fetch failed' })
    await expect(deploy(machine)).rejects.toThrow(/^Cloudflare cannot be reached/)
  })

  it('repeats what Wrangler says of an error, without its colours and marks', async () => {
    const errors =
      '\u001b[31m✘ \u001b[41;31m[\u001b[97mERROR\u001b[31m]\u001b[0m Authentication error [code: 10000]\n\n🪵  Logs were written to "/x"'
    const { machine } = account({ failing: 'd1 list', errors })
    await expect(deploy(machine)).rejects.toThrow(/cannot be listed:\nAuthentication error \[code: 10000\]$/)
  })

  it('makes the tables by a file that has its row of d1_migrations, and removes the file', async () => {
    const { machine, seen } = account()
    await deploy(machine)
    const [sql] = seen.written.filter((text) => text.includes('CREATE TRIGGER'))
    expect(sql).toMatch(
      /^CREATE TABLE IF NOT EXISTS d1_migrations [\s\S]*END;\nINSERT INTO d1_migrations \(name\) VALUES \('0001_schema\.sql'\);\n$/,
    )
    expect(seen.files.has('.migration.production.sql')).toBe(false)
  })

  it('lets Wrangler apply a migration without triggers, during which the database answers', async () => {
    const { machine, seen } = account({ applied: ['0001_schema.sql'] })
    machine.migrations.names = Object.keys(FILES)
    await deploy(machine)
    expect(seen.commands.slice(-2)).toEqual([APPLY, DEPLOY])
  })

  it('sends no file and asks Wrangler for nothing where no migration is missing', async () => {
    const { machine, seen } = account({ applied: ['0001_schema.sql'] })
    await deploy(machine)
    expect(seen.commands.filter((command) => command === APPLY || command === MIGRATE)).toEqual([])
  })

  it('makes the database where it is told to', async () => {
    const { machine, seen } = account({ database: false })
    machine.settings = { ...SETTINGS, D1_LOCATION: 'weur' }
    await deploy(machine)
    expect(seen.commands).toContain('d1 create hookline --location weur')
  })

  it.each<[boolean, boolean]>([
    [true, true],
    [false, false],
  ])('deploys where the database is used: %s, and the Worker exists: %s', async (used, worker) => {
    const { machine, seen } = account({ applied: ['0001_schema.sql'], used, worker })
    await deploy(machine)
    expect(seen.commands.at(-1)).toBe(DEPLOY)
  })

  it('refuses a new WORKER_NAME for a database that a Worker of another name has used', async () => {
    const { machine, seen } = account({ applied: ['0001_schema.sql'], used: true, worker: false })
    machine.settings = { ...SETTINGS, WORKER_NAME: 'hookline-new' }
    await expect(deploy(machine)).rejects.toThrow(/no Worker "hookline-new"[\s\S]*set WORKER_NAME .* as it was/)
    expect(seen.commands).not.toContain(DEPLOY)
  })

  it('refuses what another environment of this machine has, all of it at once, before anything is asked', async () => {
    const { machine, seen } = account()
    machine.environment = environmentFiles('staging')
    machine.others = { production: SETTINGS }
    const error: unknown = await deploy(machine).catch((thrown: unknown) => thrown)
    const refused = String(error)
      .match(/^ {2}- \w+/gm)
      ?.map((line) => line.slice(4))
    expect(refused).toEqual([
      ...['WORKER_NAME', 'D1_NAME', 'R2_NAME', 'BASE_URL', 'STORAGE_HOST', 'TOKEN_JWKS'],
      ...['RPC_NATIVECOIN', 'RPC_DOGECOIN', 'RPC_BITCOIN'],
    ])
    expect(String(error)).not.toContain('password')
    expect(seen.commands).toEqual([])
  })

  it('deploys again on a database that 1.0.0 made', async () => {
    const { machine, seen } = account({ applied: ['0001_schema.sql'] })
    await deploy(machine)
    expect(seen.commands.at(-1)).toBe(DEPLOY)
  })

  it('refuses a database of an earlier version, before anything is changed', async () => {
    const { machine, seen } = account({ applied: ['0001_items.sql', '0002_accounts.sql'], bucket: false })
    await expect(deploy(machine)).rejects.toThrow(
      /^1\.0\.0 begins with an empty database, bucket and objects: `npm run reset` here; a new Worker name, database and bucket on Cloudflare\.$/,
    )
    expect(seen.commands.slice(0, 2)).toEqual(['whoami', 'd1 list --json'])
    expect(seen.commands.slice(2).filter((command) => !command.startsWith('d1 execute'))).toEqual([])
  })

  it.each(['d1 list', 'd1 execute DB --remote --config', 'd1 execute DB --remote --yes'])(
    'stops where "%s" fails, before anything is deployed',
    async (failing) => {
      const { machine, seen } = account({ failing })
      await expect(deploy(machine)).rejects.toThrow()
      expect(seen.commands).not.toContain(DEPLOY)
      expect(seen.files.has('.secrets.production.json')).toBe(false)
    },
  )

  it('leaves no secret behind when the deployment itself fails', async () => {
    const { machine, seen } = account({ failing: 'deploy' })
    await expect(deploy(machine)).rejects.toThrow(/failed/)
    expect(seen.written.some((text) => text.includes('mail-token'))).toBe(true)
    expect(seen.files.has('.secrets.production.json')).toBe(false)
  })

  it('only looks with --check', async () => {
    const { machine, seen } = account()
    await deploy(machine, { checkOnly: true })
    expect(seen.commands).toEqual([])
    expect(seen.printed).toEqual([
      expect.stringContaining('CF-Connecting-IP'),
      expect.stringContaining('were not asked'),
      'The configuration can be deployed.',
    ])
  })

  it('says with --check what settings, Cloudflare and nodes have against it, all at once', async () => {
    const { machine } = account()
    const preflight = async () => ({ problems: ['R2 is not enabled'], notes: [] })
    const settings = { ...SETTINGS, MAIL_TOKEN: '' }
    await expect(deploy({ ...machine, settings, preflight }, { checkOnly: true })).rejects.toThrow(
      /MAIL_TOKEN is missing[\s\S]*- R2 is not enabled/,
    )
  })

  it('says that addresses signed by a proxy are trusted, where it has a key for that', async () => {
    const { machine, seen } = account()
    const settings = { ...SETTINGS, FRONT_KEY: randomBytes(32).toString('base64url') }
    await deploy({ ...machine, settings }, { checkOnly: true })
    expect(seen.printed).toContainEqual(expect.stringContaining('signs with FRONT_KEY are trusted'))
  })
})

/** The generated configuration as Wrangler itself reads it. */
async function readBack(change: Record<string, string>) {
  const plan = checkDeploy({ ...SETTINGS, ...change })
  if ('problems' in plan) throw new Error(plan.problems.join())
  const folder = await mkdtemp(join(tmpdir(), 'deploy-'))
  try {
    const path = join(folder, 'wrangler.toml')
    await writeFile(path, wranglerConfig(TEMPLATE, plan, 'd1-id'))
    return unstable_readConfig({ config: path })
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('the Wrangler configuration of a deployment', () => {
  it('is wrangler.toml with its database, variables and routes', async () => {
    const MAIL_FROM = 'Höökline "mail" <no-reply@hookline.io>'
    const config = await readBack({ MAIL_FROM })
    expect(config.name).toBe('hookline')
    expect(config.d1_databases).toMatchObject([{ binding: 'DB', database_id: 'd1-id', database_name: 'hookline' }])
    expect(config.vars).toMatchObject({ BASE_URL: 'https://api.hookline.io', MAIL_FROM })
    expect(config.routes).toEqual([
      { pattern: 'api.hookline.io', custom_domain: true },
      { pattern: '*/*', zone_name: 'hookline-content.net' },
    ])
    expect(config.durable_objects.bindings.length).toBeGreaterThan(0)
    expect(config.triggers.crons).toEqual(['* * * * *'])
  })

  it('uses only the wildcard of the storage host where there are no custom hostnames', async () => {
    const config = await readBack({
      CF_API_TOKEN: '',
      CF_ZONE_ID: '',
      STORAGE_HOST: 'cdn.hookline-content.net',
      STORAGE_ZONE: 'hookline-content.net',
    })
    expect(config.routes).toEqual([
      { pattern: 'api.hookline.io', custom_domain: true },
      { pattern: 'cdn.hookline-content.net/*', zone_name: 'hookline-content.net' },
      { pattern: '*.cdn.hookline-content.net/*', zone_name: 'hookline-content.net' },
    ])
  })

  it('has a Worker and counters of requests of its own where it has a name of its own', async () => {
    const [usual, other] = [await readBack({}), await readBack({ WORKER_NAME: 'hookline-staging', D1_NAME: 'staging' })]
    expect([usual.name, other.name]).toEqual(['hookline', 'hookline-staging'])
    expect(other.d1_databases).toMatchObject([{ binding: 'DB', database_name: 'staging' }])
    const ids = [usual, other].flatMap(({ ratelimits }) =>
      ratelimits.map((limit: { namespace_id: string }) => limit.namespace_id),
    )
    expect(ids.slice(0, 2)).toEqual(['1001', '1002'])
    expect(new Set(ids).size).toBe(4)
  })
})
