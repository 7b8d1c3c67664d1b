import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deploy } from '../../../scripts/deploy/deploy.ts'
import { environmentFiles } from '../../../scripts/deploy/environment.ts'
import type { DeployMachine } from '../../../scripts/deploy/machine.ts'
import { rollback } from '../../../scripts/deploy/rollback.ts'
import { runNode, runWrangler } from '../../../scripts/deploy/wrangler.ts'
import { listMigrations, MIGRATIONS } from '../../../scripts/migrations.ts'
import { documentCommands, shellWords } from '../../kit/document-commands.ts'
import { startFakeCloudflare } from '../../kit/fake-cloudflare.ts'
import { SETTINGS } from './settings.ts'

// Wrangler itself, against an API of Cloudflare on this machine. What is deployed is a small Worker with the names of ours.

const folder = mkdtempSync(join(tmpdir(), 'hookline-deploy-'))
const printed: string[] = []
let cloudflare: Awaited<ReturnType<typeof startFakeCloudflare>>
let machine: DeployMachine

const wrangler: DeployMachine['wrangler'] = (args) =>
  runWrangler(args, { ...process.env, ...cloudflare.environment }, { quiet: true, cwd: folder })

/** `npm run d1 -- …` of the document, on the deployed database. */
async function d1(command: string) {
  const result = await wrangler(['d1', ...command.split(' '), '--config', 'wrangler.production.toml'])
  expect(result, command).toMatchObject({ ok: true })
  return result.output
}

beforeAll(async () => {
  cloudflare = await startFakeCloudflare()
  writeFileSync(
    join(folder, 'index.mjs'),
    `import { DurableObject } from 'cloudflare:workers'
     export class ChainAgent extends DurableObject {}
     export class ContentFetcher extends DurableObject {}
     export class ItemMerger extends DurableObject {}
     export default { fetch: () => new Response() }`,
  )
  const template = readFileSync(new URL('../../../wrangler.toml', import.meta.url), 'utf8')
  machine = {
    environment: environmentFiles('production'),
    settings: { ...SETTINGS, D1_LOCATION: 'weur' },
    others: {},
    proof: join(folder, 'proof'),
    template: template
      .replace('dist/worker/index.mjs', 'index.mjs')
      .replace(/\[build\]\n.*\n/, '')
      .replaceAll(/\[\[rules\]\]\n(?:\w.*\n)+/g, ''),
    migrations: { names: listMigrations(), read: async (name) => readFileSync(join(MIGRATIONS, name), 'utf8') },
    write: async (name, text) => {
      writeFileSync(join(folder, name), text)
      return name
    },
    remove: async (name) => rmSync(join(folder, name), { force: true }),
    commit: '0123456789ab',
    build: async () => undefined,
    wrangler,
    print: (line) => void printed.push(line),
  }
})

afterAll(async () => {
  await cloudflare.close()
  rmSync(folder, { recursive: true })
})

describe('a deployment by Wrangler', { timeout: 300_000 }, () => {
  it('is refused with the reason of Cloudflare where the token may not use D1, and has changed nothing', async () => {
    cloudflare.account.permissions = ['r2', 'workers', 'zones']
    await expect(deploy(machine)).rejects.toThrow(/cannot be listed:\n[\s\S]*Authentication error \[code: 10000\]/)
    cloudflare.account.permissions = ['d1', 'r2', 'workers', 'zones']
    expect(cloudflare.account).toMatchObject({ databases: [], buckets: [] })
  })

  it('says that Cloudflare is not reached where nothing listens', async () => {
    const environment = { ...process.env, ...cloudflare.environment, CLOUDFLARE_API_BASE_URL: 'http://127.0.0.1:1/v4' }
    const offline = (args: string[]) => runWrangler(args, environment, { quiet: true, cwd: folder })
    await expect(deploy({ ...machine, wrangler: offline })).rejects.toThrow(/^Cloudflare cannot be reached/)
  })

  it('makes database, tables with their triggers, bucket and Worker, and leaves no secret in a file', async () => {
    await deploy(machine)
    const { databases, buckets, workers, unknown } = cloudflare.account
    expect(databases).toMatchObject([{ name: 'hookline', location: 'weur' }])
    const count = (sql: string) => Number(databases[0]?.sqlite.prepare(sql).get()?.n)
    expect(count("SELECT COUNT(*) AS n FROM sqlite_schema WHERE type = 'trigger'")).toBeGreaterThan(20)
    expect(count('SELECT COUNT(*) AS n FROM d1_migrations')).toBe(listMigrations().length)
    expect(buckets).toEqual(['hookline'])
    expect(cloudflare.account.lifecycle.map(({ id }) => id)).toContain('hookline-chain-cache')
    expect([...workers.keys()]).toEqual(['hookline'])
    expect(existsSync(join(folder, '.secrets.production.json'))).toBe(false)
    expect(existsSync(join(folder, '.migration.production.sql'))).toBe(false)
    expect(unknown.filter((request) => !request.endsWith('/graphql'))).toEqual([])
  })

  it('is done again without a change of the tables', async () => {
    const { sqlite } = cloudflare.account.databases[0] ?? {}
    const version = () => sqlite?.prepare('PRAGMA schema_version').get()
    const before = [version(), cloudflare.account.lifecycle]
    await deploy(machine)
    expect([version(), cloudflare.account.lifecycle]).toEqual(before)
  })
})

describe('a version that was deployed before', { timeout: 300_000 }, () => {
  const deployedTag = () => {
    const { versions, deployed } = cloudflare.account
    return versions.find(({ id }) => id === deployed)?.annotations
  }

  it('is deployed again by its commit, without a build and without another version', async () => {
    await deploy({ ...machine, commit: 'fedcba987654' })
    expect(deployedTag()).toMatchObject({ 'workers/tag': 'fedcba987654' })
    const { length } = cloudflare.account.versions
    await rollback(machine, 'wrangler.production.toml', '0123456789ab')
    expect(deployedTag()).toMatchObject({ 'workers/tag': '0123456789ab' })
    expect(cloudflare.account.versions).toHaveLength(length)
  })

  it('is listed by its commit', async () => {
    printed.length = 0
    await rollback(machine, 'wrangler.production.toml', undefined)
    expect(printed).toContainEqual(expect.stringMatching(/^fedcba987654 {2}2026-/))
  })

  it('stays where none has the commit', async () => {
    const before = deployedTag()
    const back = rollback(machine, 'wrangler.production.toml', 'aaaaaaaaaaaa')
    await expect(back).rejects.toThrow(/^The version aaaaaaaaaaaa was not deployed/)
    expect(deployedTag()).toBe(before)
  })
})

describe('the commands of the document', { timeout: 300_000 }, () => {
  const commands = documentCommands()
    .map(({ command }) => command)
    .filter((command) => /^npm run d1 -- \w/.test(command))
  const queries = commands.filter((command) => command.includes('--command'))

  it('export the deployed database, and fill a new one with what they exported, an item of 1,876 transactions too', async () => {
    const { sqlite } = cloudflare.account.databases[0] ?? {}
    const txids = 'ab'.repeat(32 * 1_876)
    sqlite?.exec(
      `INSERT INTO users (id, email, status, password_hash, first_name, last_name, created_at) VALUES ('u', 'a@b.co', 1, 'x', '', '', 1);
       INSERT INTO items (id, user_id, name, mimetype, blockchain, size, chunk_size, chunks, created_at, updated_at)
       VALUES ('a', 'u', 'large', 'text/plain', 'Bitcoin', 10, 10, 1, 1, 1);
       INSERT INTO item_txids (item_id, txids) VALUES ('a', '${txids}')`,
    )
    const script = (name: string) => new URL(`../../../scripts/backup/${name}`, import.meta.url).pathname
    const tables = await runNode([script('list-tables.ts')], process.env, { quiet: true })
    await d1(`export DB --remote --no-schema ${tables.output.trim()} --output=export.sql`)
    const [source, target] = [join(folder, 'export.sql'), join(folder, 'restore.sql')]
    expect(await runNode([script('write-restore.ts'), source, target], process.env, { quiet: true })).toMatchObject({
      ok: true,
    })
    machine.settings = { ...machine.settings, D1_NAME: 'hookline-restored' }
    await deploy(machine)
    await d1('execute DB --remote --yes --file=restore.sql')
    const restored = cloudflare.account.databases[1]?.sqlite
    expect(restored?.prepare('SELECT txids FROM item_txids').all()).toEqual([{ txids }])
    expect(JSON.parse(await d1('execute DB --remote --json --command=SELECT/**/name/**/FROM/**/items'))).toMatchObject([
      { results: [{ name: 'large' }] },
    ])
  })

  it.each(queries)('%s', async (command) => {
    const [, , , , ...args] = shellWords(command)
    expect(await wrangler(['d1', ...args, '--yes', '--config', 'wrangler.production.toml'])).toMatchObject({ ok: true })
  })

  it('are all run here', () => {
    const others = commands.filter((command) => !queries.includes(command))
    expect(queries.length).toBeGreaterThan(3)
    expect(others.map((command) => command.split(' ').slice(4, 6).join(' '))).toEqual([
      'export DB',
      'execute DB',
      'time-travel restore',
    ])
  })

  it('go back by Time Travel on the deployed database', async () => {
    expect(await d1('time-travel info DB --timestamp=2026-11-01T00:00:00Z --json')).toContain('bookmark')
  })
})
