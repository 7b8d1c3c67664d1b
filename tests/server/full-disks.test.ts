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

/** Only `npm run test:large` has these: vitest.server.config.ts leaves the file out otherwise. */
const DISKS = Number(process.env.DISKS)
const MIB = 1 << 20
/** Of each item, in chunks of a MiB. */
const CHUNKS = 32
/** Writes that are refused before the server is killed. */
const REFUSED = 6
const FULL = ['storage_full', 'database_full']
const PATIENCE = { timeout: 120_000, interval: 500 }

let chains: RunningDevnet
let server: RunningServer | undefined
let disk: Disk | undefined

beforeAll(async () => {
  chains = await startDevnet({ port: 0, blockMs: 200 })
})
afterEach(async () => {
  await server?.end('SIGKILL')
  await disk?.end()
})
afterAll(async () => await chains?.close())

/** Disks of 24 to 60 MiB, of which 8 to 20 are free: they fill in other writes. */
const disks = Array.from({ length: DISKS }, (_, index) => ({ size: 24 + 2 * index, room: 8 + ((index * 5) % 13) }))

it.each(disks)(
  'has all that it acknowledged when $room of $size MiB are full, and goes on when there is room',
  {
    timeout: 600_000,
  },
  async ({ size, room }) => {
    const folder = await tempFolder()
    const data = join(folder, 'data')
    mkdirSync(data)
    disk = await mountDisk(data, { size, room })
    const { inside: wrap } = disk
    const running = await startServer({
      ...{ home: inject('server'), folder, wrap, rpc: chains.url, mailUrl: chains.outboxUrl },
    })
    server = running
    const token = await signUp({ url: running.url, chains }, `${crypto.randomUUID()}@example.com`)
    const ask = async (method: string, path: string, body?: string | Uint8Array<ArrayBuffer>) => {
      const type = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}
      const headers = { Authorization: `Bearer ${token}`, ...type }
      const init = { method, headers, signal: AbortSignal.timeout(30_000) }
      const answer = await fetch(`${running.url}/v0${path}`, { ...init, ...(body === undefined ? {} : { body }) })
      return { status: answer.status, text: await answer.text() }
    }
    const fields = { name: 'a.bin', mimetype: 'application/octet-stream', blockchain: 'Nativecoin', size: CHUNKS * MIB }
    const item: { id: string } = JSON.parse((await ask('POST', '/item', JSON.stringify(fields))).text)
    const upload = async (index: number) =>
      await ask('PUT', `/item/${item.id}/chunk/${index}`, new Uint8Array(MIB).fill(index))
    const makeFolder = async (name: string) =>
      await ask('POST', '/folder', JSON.stringify({ name, blockchain: 'Nativecoin' }))

    const [chunks, folders]: [number[], string[]] = [[], []]
    let refused = 0
    for (let index = 0; index < CHUNKS && refused < REFUSED; index++) {
      const [chunk, made] = [await upload(index), await makeFolder(`${index}`)]
      if (chunk.status === 204) chunks.push(index)
      if (made.status === 201) folders.push(JSON.parse(made.text).id)
      for (const { status, text } of [chunk, made].filter((answer) => answer.status >= 300)) {
        refused++
        expect([status, JSON.parse(text).code]).toEqual([503, expect.toBeOneOf(FULL)])
      }
    }
    expect([refused > 0, chunks.length > 0]).toEqual([true, true])
    const database = async (): Promise<unknown> => JSON.parse((await ask('GET', '/health')).text).database
    // A write that fails ends its object in workerd, and what that object was reading is refused with it: 503, once.
    const read = async (path: string) => {
      const answer = await ask('GET', path)
      if (answer.status !== 503) return answer
      expect(JSON.parse(answer.text).code).toBeOneOf([...FULL, 'storage_unavailable'])
      return await ask('GET', path)
    }
    const findAll = async () => {
      const { hashes }: { hashes: string[] } = JSON.parse((await read(`/upload/${item.id}`)).text)
      const inTurn = chunks.filter((chunk, index) => chunk === index)
      const written = inTurn.map((chunk) => createHash('sha256').update(new Uint8Array(MIB).fill(chunk)).digest('hex'))
      expect(hashes.slice(0, written.length)).toEqual(written)
      for (const made of folders) expect((await read(`/folder/${made}`)).status).toBe(200)
    }
    await expect.poll(database, PATIENCE).toBe('full')
    await findAll()
    await running.end('SIGKILL')
    await running.start()
    await findAll()

    const [program = '', ...args] = [...wrap, 'rm', join(running.dataDir, 'filler')]
    execFileSync(program, args)
    await expect.poll(async () => (await upload(CHUNKS - 1)).status, PATIENCE).toBe(204)
    await expect.poll(async () => (await makeFolder('again')).status, PATIENCE).toBe(201)
    await expect.poll(database, PATIENCE).toBeUndefined()
    await findAll()
  },
)
