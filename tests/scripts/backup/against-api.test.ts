import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newDatabase, readSchema } from '../../../scripts/backup/schema.ts'
import { APPLIED } from '../../../scripts/deploy/migrate.ts'
import { listMigrations } from '../../../scripts/migrations.ts'
import { startFakeCloudflare } from '../../kit/fake-cloudflare.ts'
import { SETTINGS } from '../deploy/settings.ts'

// The commands themselves, with an API of Cloudflare on this machine.

const ROOT = new URL('../../../', import.meta.url).pathname
const ENV = `backup-${process.pid}`
const folder = mkdtempSync(join(tmpdir(), 'hookline-backup-'))
let cloudflare: Awaited<ReturnType<typeof startFakeCloudflare>>
let identity: string

function settings(change: Record<string, string>): void {
  const all = { ...SETTINGS, WORKER_NAME: ENV, ...change }
  writeFileSync(
    join(ROOT, `.env.${ENV}`),
    Object.entries(all)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  )
}

async function run(script: string, ...args: string[]) {
  const command = ['--disable-warning=ExperimentalWarning', `scripts/${script}.ts`, '--env', ENV, ...args]
  const env = { ...process.env, ...cloudflare.environment }
  const ran = promisify(execFile)(process.execPath, command, { cwd: ROOT, env })
  return await ran.catch((error: { stdout: string; stderr: string }) => error)
}

beforeAll(async () => {
  cloudflare = await startFakeCloudflare()
  identity = await generateX25519Identity()
  const { account } = cloudflare
  const sqlite = newDatabase()
  account.databases.push({ uuid: 'd1-of-the-service', name: 'hookline', location: undefined, sqlite })
  account.buckets.push('hookline')
  const names = listMigrations().map((name) => `('${name}')`)
  sqlite.exec(`${APPLIED} INSERT INTO d1_migrations (name) VALUES ${names.join()}`)
  const text = `ü 'quoted'\n${'x'.repeat(300)}`
  sqlite.exec(`INSERT INTO users (id, email, password_hash, first_name, last_name, status, created_at) VALUES ('u', 'a@b.co', 'x', '', '', 1, 1);
    INSERT INTO chain_states (blockchain, mark) VALUES ('Bitcoin', 'of the agent');
    INSERT INTO folders (id, user_id, name, blockchain, created_at) VALUES ('f', 'u', 'f', 'Bitcoin', 1)`)
  const insert = sqlite.prepare(
    `INSERT INTO items (id, user_id, folder_id, name, mimetype, blockchain, size, chunk_size, chunks, created_at, updated_at, status)
     VALUES (?, 'u', 'f', ?, 'text/plain', 'Bitcoin', 10, 10, 1, 1, 1, 402)`,
  )
  for (let n = 0; n < 3_000; n++) insert.run(`item-${n}`, `${n} ${text}`)
  // In one row more than a page, and than a statement of D1.
  sqlite
    .prepare('INSERT INTO item_txids (item_id, txids, packed) VALUES (?, ?, ?)')
    .run('item-7', 'ab'.repeat(600_000), new Uint8Array(2_000).fill(9))
  account.objects.set(
    'hookline',
    new Map(
      [
        'stored/a',
        'writer/Bitcoin/b',
        'payouts/Bitcoin/c',
        'ipfs/blocks/d',
        'hook/e+ü &.js',
        'chain/packs/f',
        'ipfs/cache/g',
        'proof/h',
      ].map((key) => [
        key,
        {
          bytes: Buffer.from(`bytes of ${key}\n`),
          headers: { 'content-type': 'text/x', 'x-amz-meta-etag': key === 'stored/a' ? 'e' : 'f' },
        },
      ]),
    ),
  )
})

afterAll(async () => {
  await cloudflare.close()
  rmSync(folder, { recursive: true })
  for (const file of [`.env.${ENV}`, `wrangler.${ENV}.toml`]) rmSync(join(ROOT, file), { force: true })
})

const copies = () => readdirSync(join(folder, 'tables')).sort()

describe('a copy by the API of Cloudflare', { timeout: 300_000 }, () => {
  it('is refused without a recipient, and without the word --plain', async () => {
    settings({})
    expect((await run('backup', '--to', folder)).stderr).toContain('--recipient <age1…> | --plain')
  })

  it('is encrypted for its recipient, part by part, each with its SHA-256', async () => {
    const recipient = await identityToRecipient(identity)
    const { stdout, stderr } = await run('backup', '--to', folder, '--recipient', recipient)
    expect(stderr).toBe('')
    expect(stdout).toContain('items: 3000 rows')
    expect(stdout).toContain('5 objects, of which 5 were not there yet')
    const [copy = ''] = copies()
    const sums = readFileSync(join(folder, 'tables', copy, 'SHA256SUMS'), 'utf8')
      .trimEnd()
      .split('\n')
    expect(sums.length).toBeGreaterThan(10)
    for (const line of sums) {
      const [sum, name = ''] = line.split('  ')
      const bytes = readFileSync(join(folder, 'tables', copy, name))
      expect(createHash('sha256').update(bytes).digest('hex'), name).toBe(sum)
      expect(bytes.subarray(0, 21).toString(), name).toBe('age-encryption.org/v1')
      // A page of a megabyte, and what age adds; a row that is larger is a page of its own.
      expect(bytes.length, name).toBeLessThan(name.startsWith('item_txids') ? 1_300_000 : 1_000_000)
    }
  })

  it('reads the objects of another copy that are there already no second time', async () => {
    const recipient = await identityToRecipient(identity)
    cloudflare.account.objects.get('hookline')?.set('stored/new', { bytes: Buffer.from('new'), headers: {} })
    const { stdout } = await run('backup', '--to', folder, '--recipient', recipient)
    expect(stdout).toContain('6 objects, of which 1 were not there yet')
    expect(copies()).toHaveLength(2)
  })

  it('is not restored into a database that is in use, nor without its key, nor where a part was changed', async () => {
    const [copy = ''] = copies()
    const from = join(folder, 'tables', copy)
    expect((await run('restore', '--from', from)).stderr).toContain('name the file of your key with --identity')
    writeFileSync(join(folder, 'key'), `# of the test\n${identity}\n`)
    const restore = () => run('restore', '--from', from, '--identity', join(folder, 'key'))
    expect((await restore()).stderr).toContain('Set another D1_NAME')
    const users = join(from, 'users.000001.jsonl.age')
    const bytes = readFileSync(users)
    writeFileSync(users, Buffer.concat([bytes, Buffer.from('x')]))
    expect((await restore()).stderr).toContain('is not what was written')
    writeFileSync(users, bytes)
  })

  it('fills a new database and bucket, whose payouts and writing are stopped', async () => {
    settings({ D1_NAME: 'restored', R2_NAME: 'restored' })
    const { account } = cloudflare
    const { stderr, stdout } = await run(
      'restore',
      '--from',
      join(folder, 'tables', copies()[1] ?? ''),
      '--identity',
      join(folder, 'key'),
    )
    expect(stderr).not.toMatch(/ERROR|Error/)
    expect(stdout).toContain('6 objects were put')
    const [source, target] = account.databases.map(({ sqlite }) => sqlite)
    const rows = (sql: string) => [source, target].map((db) => db?.prepare(sql).all())
    for (const table of readSchema().tables) {
      if (['stops', 'chain_states'].includes(table)) continue
      const [given, restored] = rows(`SELECT * FROM ${table} ORDER BY 1`)
      expect(restored, table).toEqual(given)
    }
    expect(rows('SELECT part, cause FROM stops ORDER BY part')[1]).toEqual([
      { part: 'payouts', cause: 'hand' },
      { part: 'writing', cause: 'hand' },
    ])
    expect(rows('SELECT COUNT(*) AS n FROM item_words WHERE item_words MATCH \'"75xquoted"\'')[1]).toEqual([
      { n: 3_000 },
    ])
    expect(rows("SELECT COUNT(*) AS n FROM sqlite_schema WHERE type IN ('trigger', 'index')")[1]).toEqual(
      rows("SELECT COUNT(*) AS n FROM sqlite_schema WHERE type IN ('trigger', 'index')")[0],
    )
    const copied = new Map(
      [...(account.objects.get('hookline') ?? [])].filter(([key]) => !/^(chain|ipfs\/cache|proof)\//.test(key)),
    )
    expect(account.objects.get('restored')).toEqual(copied)
  })
})
