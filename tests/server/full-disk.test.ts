import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { signUp } from '../kit/sign-up.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import { type Disk, mountDisk } from './mount-disk.ts'
import type {} from './provided.ts'
import { type RunningServer, startServer } from './run-server.ts'

const CHUNK = 1 << 20
const CHUNKS = 16

let chains: RunningDevnet
let server: RunningServer | undefined
let disk: Disk | undefined

beforeAll(async () => {
  chains = await startDevnet({ port: 0, blockMs: 200 })
})
afterEach(async () => {
  await server?.end('SIGTERM')
  await disk?.end()
  disk = undefined
})
afterAll(async () => await chains?.close())

/**
 * In MiB. Without the filler there is room for the data twice, since SQLite keeps its log as long as it ever was while
 * it copies all of it into the database.
 */
const DISK = { size: 32, room: 12 }

/** Starts a server on an empty folder, and signs up. */
async function open(more: { disk?: (data: string) => Promise<Disk>; settings?: Record<string, string> }) {
  const folder = await tempFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  const { settings = {} } = more
  disk = await more.disk?.(data)
  const setup = { home: inject('server'), folder, rpc: chains.url, mailUrl: chains.outboxUrl, settings }
  const running = await startServer({ ...setup, ...(disk ? { wrap: disk.inside } : {}) })
  server = running
  const token = await signUp({ url: running.url, chains }, `${crypto.randomUUID()}@example.com`)
  const headers = { Authorization: `Bearer ${token}` }
  const ask = async (method: string, path: string, body?: string | Uint8Array<ArrayBuffer>) => {
    const type = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}
    const init = { method, headers: { ...headers, ...type }, signal: AbortSignal.timeout(10_000) }
    const answer = await fetch(running.url + path, { ...init, ...(body === undefined ? {} : { body }) })
    return { status: answer.status, text: await answer.text() }
  }
  const fields = { name: 'a.bin', mimetype: 'application/octet-stream', blockchain: 'Nativecoin', size: CHUNKS * CHUNK }
  const create = async () => await ask('POST', '/v0/item', JSON.stringify(fields))
  const upload = async (item: string, index: number) =>
    await ask('PUT', `/v0/item/${item}/chunk/${index}`, new Uint8Array(CHUNK).fill(index))
  const first: { id: string } = JSON.parse((await create()).text)
  const database = async (): Promise<unknown> => JSON.parse((await ask('GET', '/v0/health')).text).database
  return { running, ask, create, upload, database, item: first.id }
}

it('says at once that the disk is full, and in its health, and has what it acknowledged after it was killed', async () => {
  const { running, ask, create, upload, database, item } = await open({ disk: (data) => mountDisk(data, DISK) })
  const answers = []
  for (let index = 0; index < CHUNKS; index++) answers.push(await upload(item, index))
  const refused = answers.filter(({ status }) => status !== 204)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeLessThan(CHUNKS)
  for (const { status, text } of refused) expect([status, JSON.parse(text).code]).toEqual([503, 'storage_full'])
  expect((await ask('GET', `/v0/item/${item}`)).status).toBeLessThan(300)
  expect((await ask('GET', '/console')).status).toBe(200)
  await expect.poll(database).toBe('full')
  expect(JSON.parse((await create()).text).code).toBe('database_full')

  const acknowledged = answers.findIndex(({ status }) => status !== 204)
  const stored = async () => {
    const { hashes }: { hashes: string[] } = JSON.parse((await ask('GET', `/v0/upload/${item}`)).text)
    return hashes.slice(0, acknowledged)
  }
  const written = Array.from({ length: acknowledged }, (_, index) =>
    createHash('sha256').update(new Uint8Array(CHUNK).fill(index)).digest('hex'),
  )
  expect(await stored()).toEqual(written)
  await running.end('SIGKILL')
  await running.start()
  expect(await stored()).toEqual(written)

  const [program = '', ...args] = [...(disk?.inside ?? []), 'rm', join(running.dataDir, 'filler')]
  execFileSync(program, args)
  await expect.poll(async () => (await upload(item, acknowledged)).status).toBe(204)
  await expect.poll(database).toBeUndefined()
})

it('takes no new item where DISK_BYTES are used, and goes on with those that exist', async () => {
  const { ask, create, upload, item } = await open({ settings: { DISK_BYTES: String(8 * CHUNK) } })
  for (let index = 0; index < 8; index++) expect((await upload(item, index)).status).toBe(204)
  await expect.poll(async () => JSON.parse((await ask('GET', '/v0/health')).text).database).toBe('full')
  const refused = await create()
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([503, 'database_full'])
  expect((await upload(item, 8)).status).toBe(204)
})
