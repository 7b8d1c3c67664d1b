import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { databaseFile } from '../../server/command/database-file.ts'
import { logIn, signUp } from '../kit/sign-up.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import { uploadItem } from '../kit/upload-item.ts'
import type {} from './provided.ts'
import { type RunningServer, startServer } from './run-server.ts'
import { type S3Server, startS3Server } from './s3-server.ts'

const EMAIL = 'ada@example.com'
const BYTES = Uint8Array.from(randomBytes(3_000_000))

let chains: RunningDevnet
let s3: S3Server
let server: RunningServer
let backups: string
let item: string

beforeAll(async () => {
  chains = await startDevnet({ port: 0, blockMs: 200 })
  const setup = { home: inject('server'), folder: await tempFolder(), rpc: chains.url, mailUrl: chains.outboxUrl }
  s3 = await startS3Server()
  const settings = {
    AWS_ENDPOINT_URL_S3: s3.url,
    AWS_REGION: s3.region,
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  }
  server = await startServer({ ...setup, settings })
  backups = join(setup.folder, 'backups')
  const token = await signUp({ url: server.url, chains }, EMAIL)
  const send = (method: string, path: string, body?: Uint8Array<ArrayBuffer> | string) =>
    fetch(`${server.url}/v0${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    })
  item = await uploadItem(
    send,
    { name: 'a.bin', mimetype: 'application/octet-stream', blockchain: 'Nativecoin' },
    BYTES,
  )
})
afterAll(async () => {
  await server?.end('SIGTERM')
  await chains?.close()
  await s3?.close()
})

const run = (...args: string[]) =>
  spawnSync(join(inject('server'), 'hookline-server'), args, { encoding: 'utf8', env: { PATH: process.env.PATH } })

/** The same while this process answers. */
const runBeside = async (...args: string[]): Promise<string> => {
  const env = { PATH: process.env.PATH }
  const { stdout } = await promisify(execFile)(join(inject('server'), 'hookline-server'), args, { env })
  return stdout.trim()
}

/** What is stopped, by the database of a data folder. */
function stopsOf(dataDir: string): string[] {
  const database = new DatabaseSync(databaseFile(join(dataDir, 'objects')), { readOnly: true })
  const stopped = database.prepare('SELECT blockchain, part FROM stops ORDER BY blockchain, part').all()
  database.close()
  return stopped.map(({ blockchain, part }) => `${String(blockchain)} ${String(part)}`)
}

/** The settings of the server with another folder. */
function settingsWith(dataDir: string): string {
  const file = `${server.settings}-${dataDir.length}`
  writeFileSync(file, readFileSync(server.settings))
  appendFileSync(file, `DATA_DIR=${dataDir}\n`)
  return file
}

it('copies the data to a bucket while the service runs, and makes a folder of it, with payouts stopped', async () => {
  const place = await runBeside('backup', '--env', server.settings, '--to', `s3:${s3.bucket}/home/`)
  expect(place).toMatch(/^s3:copies\/home\/\d{8}T\d{6}Z$/)
  const folder = `${server.dataDir}-of-the-bucket`
  await runBeside('restore', '--env', settingsWith(folder), '--from', place)
  expect(stopsOf(folder)).toContain('Nativecoin payouts')
  const kept = [...s3.objects].filter(([key]) => key.includes('/bucket/'))
  expect(kept.length).toBeGreaterThan(0)
  for (const [key, bytes] of kept) {
    const file = join(folder, 'objects', key.slice(place.length - 's3:copies'.length))
    expect(readFileSync(file).equals(bytes), key).toBe(true)
  }
  expect(readdirSync(folder).sort()).toEqual(['lock', 'objects'])

  const [changed = ''] = kept.map(([key]) => key)
  s3.objects.get(changed)?.fill(1, 100, 200)
  const other = settingsWith(`${folder}-again`)
  await expect(runBeside('restore', '--env', other, '--from', place)).rejects.toThrow('was changed')
  expect(readdirSync(`${folder}-again`)).toEqual(['lock'])
})

it('copies the data while the service runs, and makes a folder of it that serves again, with payouts stopped', async () => {
  const made = run('backup', '--env', server.settings, '--to', backups)
  expect(made.status, made.stderr).toBe(0)
  const [name = ''] = readdirSync(backups)
  await server.end('SIGKILL')
  const moved = `${server.dataDir}-before`
  execFileSync('mv', [server.dataDir, moved])
  const restored = run('restore', '--env', server.settings, '--from', join(backups, name))
  expect(restored.status, restored.stderr).toBe(0)
  await server.start()
  const token = await logIn(server.url, EMAIL)
  const headers = { Authorization: `Bearer ${token}` }
  expect((await fetch(`${server.url}/v0/item/${item}/merge`, { method: 'POST', headers })).status).toBeLessThan(300)
  await expect.poll(async () => (await fetch(`${server.url}/v0/item/${item}`, { headers })).status).toBe(200)
  await server.end('SIGTERM')
  expect(stopsOf(server.dataDir)).toContain('Nativecoin payouts')
})

it('refuses a folder with data, a backup that was changed and one that did not end, and changes nothing', () => {
  const [name = ''] = readdirSync(backups)
  const from = join(backups, name)
  expect(run('restore', '--env', server.settings, '--from', from).stderr).toContain('has data')
  const file = settingsWith(`${server.dataDir}-empty`)
  const part = join(from, 'bucket', 'metadata.sqlite')
  const before = readFileSync(part)
  appendFileSync(part, 'x')
  const changed = run('restore', '--env', file, '--from', from)
  expect([changed.status, changed.stderr]).toEqual([73, expect.stringContaining('was changed')])
  writeFileSync(part, before)
  const empty = join(backups, 'empty')
  mkdirSync(empty)
  expect(run('restore', '--env', file, '--from', empty).stderr).toContain('did not end')
})

it('lets no second one run on its folder', async () => {
  await server.start()
  const second = run('serve', '--env', server.settings)
  expect([second.status, second.stderr]).toEqual([75, expect.stringContaining('is in use by another hookline-server')])
})

it('leaves data of a newer version as it is, says so, and runs on it with --older', async () => {
  await server.end('SIGTERM')
  const file = databaseFile(join(server.dataDir, 'objects'))
  const database = new DatabaseSync(file)
  database.exec("INSERT INTO d1_migrations (name) VALUES ('9999_later.sql'); PRAGMA wal_checkpoint(TRUNCATE)")
  database.close()
  const before = readFileSync(file)
  const older = run('serve', '--env', server.settings)
  expect([older.status, older.stderr]).toEqual([
    73,
    expect.stringContaining('made by a newer version (9999_later.sql)'),
  ])
  expect(readFileSync(file).equals(before)).toBe(true)
  await server.start('--older')
  expect(await logIn(server.url, EMAIL)).toEqual(expect.any(String))
})
