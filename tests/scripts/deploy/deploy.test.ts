import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { checkDeploy } from '../../../scripts/deploy/check-deploy.ts'
import { type DeployMachine, deploy } from '../../../scripts/deploy/deploy.ts'
import { wranglerConfig } from '../../../scripts/deploy/wrangler-config.ts'
import { SETTINGS } from './settings.ts'

const TEMPLATE = await readFile(new URL('../../../wrangler.toml', import.meta.url), 'utf8')

/** What Wrangler prints for a query. */
const rows = (results: unknown[]) => ({ ok: true, output: JSON.stringify([{ results, success: true }]) })

/** A Cloudflare account; `applied` are the migrations of its database; `failing` is how a command that fails begins. */
function account(
  options: { database?: boolean; bucket?: boolean; loggedIn?: boolean; failing?: string; applied?: string[] } = {},
) {
  const { loggedIn = true, failing, applied } = options
  const state = { database: options.database ?? true, bucket: options.bucket ?? true }
  const seen = {
    commands: [] as string[],
    files: new Map<string, string>(),
    written: [] as string[],
    printed: [] as string[],
  }
  const machine: DeployMachine = {
    settings: SETTINGS,
    template: TEMPLATE,
    write: async (name, text) => {
      seen.files.set(name, text)
      seen.written.push(text)
      return name
    },
    remove: async (name) => void seen.files.delete(name),
    build: async () => void seen.commands.push('build'),
    print: (line) => void seen.printed.push(line),
    wrangler: async (args) => {
      const command = args.join(' ')
      seen.commands.push(command)
      if (failing && command.startsWith(failing)) return { ok: false, output: 'no' }
      if (command === 'whoami')
        return { ok: true, output: loggedIn ? 'You are logged in' : 'You are not authenticated.' }
      if (command.includes('FROM sqlite_master')) return rows(applied ? [{ 1: 1 }] : [])
      if (command.endsWith('FROM d1_migrations')) return rows((applied ?? []).map((name) => ({ name })))
      if (command === 'd1 create hookline') state.database = true
      if (command === 'r2 bucket create hookline') state.bucket = true
      if (command === 'd1 list --json') {
        const others = [{ uuid: 'other', name: 'hookline-old' }]
        return {
          ok: true,
          output: JSON.stringify(state.database ? [...others, { uuid: 'd1-id', name: 'hookline' }] : others),
        }
      }
      return { ok: command.startsWith('r2 bucket info') ? state.bucket : true, output: '' }
    },
  }
  return { machine, seen }
}

const ASK =
  "d1 execute DB --remote --config wrangler.production.toml --json --command SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'"
const MIGRATE = 'd1 migrations apply hookline --remote --config wrangler.production.toml'
const DEPLOY = 'deploy --config wrangler.production.toml --secrets-file .secrets.production.json'

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
    machine.settings = { ...SETTINGS, IPFS_CACHE_DAYS: '7' }
    await deploy(machine)
    const rules = seen.commands.filter((command) => command.startsWith('r2 bucket lifecycle'))
    expect(rules).toEqual([
      'r2 bucket lifecycle remove hookline --name hookline-chain-cache',
      'r2 bucket lifecycle add hookline hookline-chain-cache chain/ --expire-days 32 --force',
      'r2 bucket lifecycle remove hookline --name hookline-ipfs-cache',
      'r2 bucket lifecycle add hookline hookline-ipfs-cache ipfs/cache/ --expire-days 8 --force',
      'r2 bucket lifecycle remove hookline --name hookline-ipns-records',
      'r2 bucket lifecycle add hookline hookline-ipns-records ipfs/ipns/ --expire-days 8 --force',
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

  it.each(['d1 list', 'd1 execute', 'd1 migrations'])(
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
    expect(seen.printed).toEqual([expect.stringContaining('CF-Connecting-IP'), 'The configuration can be deployed.'])
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
})
