import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, renameSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { databaseFile } from '../../server/command/database-file.ts'
import { connect, type Rpc } from '../kit/call-devnet.ts'
import { logIn, signUp } from '../kit/sign-up.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import { Customer } from './customer.ts'
import { expectAllKept } from './expect-all-kept.ts'
import type {} from './provided.ts'
import { type RunningServer, startServer } from './run-server.ts'

const EMAIL = 'ada@example.com'
const DEPOSIT = 10
const CHECKED = 'because the data is a copy'

let chains: RunningDevnet
let server: RunningServer
let wallet: Rpc
let customer: Customer
let copies: string

beforeAll(async () => {
  chains = await startDevnet({ port: 0, blockMs: 200 })
  wallet = connect(chains.devnet, 'Nativecoin')
  copies = await tempFolder()
  const setup = { home: inject('server'), folder: await tempFolder(), rpc: chains.url, mailUrl: chains.outboxUrl }
  server = await startServer(setup)
  customer = new Customer(server.url, wallet, await signUp({ url: server.url, chains }, EMAIL))
})
afterAll(async () => {
  await server?.end('SIGTERM')
  await chains?.close()
})

function copy(name: string): string {
  const to = join(copies, name)
  execFileSync('cp', ['--archive', server.dataDir, to])
  return to
}

/** While nothing runs: has the server's folder be another. */
function replaceBy(folder: string): void {
  renameSync(server.dataDir, join(copies, crypto.randomUUID()))
  renameSync(folder, server.dataDir)
}

/** A hash of each file below a folder but those that SQLite makes anew. */
function hashes(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => !path.endsWith('-shm'))
  const hashed = paths.map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')] as const)
  // An empty log is made by whoever only reads.
  const empty = createHash('sha256').digest('hex')
  return Object.fromEntries(hashed.filter(([, hash]) => hash !== empty))
}

function serve() {
  const args = ['serve', '--env', server.settings]
  return spawnSync(join(inject('server'), 'hookline-server'), args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
}

it('starts on a copy that was made while it was stopped, after a check, and once again without one', async () => {
  await customer.deposit(DEPOSIT)
  await customer.act(1)
  await server.end('SIGTERM')
  replaceBy(copy('stopped'))
  await server.start()
  expect(server.log()).toContain(CHECKED)
  customer.token = await logIn(server.url, EMAIL)
  await customer.act(2)
  await server.end('SIGTERM')
  const before = server.log().length
  await server.start()
  expect(server.log().slice(before)).not.toContain(CHECKED)
  await expectAllKept(customer, wallet, DEPOSIT)
})

it('starts on a snapshot of one moment, and does not pay again what was paid since', async () => {
  const address = await customer.withdraw()
  // It may be paid by then, or not yet.
  await server.standStill(() => copy('moment'))
  await expect.poll(() => Number(wallet('getreceivedbyaddress', address))).toBe(0.01)
  await server.end('SIGKILL')
  replaceBy(join(copies, 'moment'))
  const before = server.log().length
  await server.start()
  expect(server.log().slice(before)).toContain(CHECKED)
  customer.token = await logIn(server.url, EMAIL)
  await expect
    .poll(async () => await customer.withdrawalTo(address))
    .toMatch(/^waiting: .*stopped|^held|^sent|^confirmed/)
  expect(Number(wallet('getreceivedbyaddress', address))).toBe(0.01)
})

it('says of a damaged copy which file it is, and changes nothing', async () => {
  await server.end('SIGTERM')
  const damages: Record<string, (folder: string) => string> = {
    'a page': (folder) => {
      const file = databaseFile(join(folder, 'objects'))
      const descriptor = openSync(file, 'r+')
      writeSync(descriptor, Buffer.alloc(4096, 7), 0, 4096, 8 * 4096)
      closeSync(descriptor)
      return file
    },
    'its end': (folder) => {
      const file = databaseFile(join(folder, 'objects'))
      truncateSync(file, 10 * 4096)
      return file
    },
    'its database': (folder) => {
      const file = databaseFile(join(folder, 'objects'))
      renameSync(file, `${file}.other`)
      return file
    },
  }
  for (const [name, damage] of Object.entries(damages)) {
    // All that was written is in the file itself then, and not in its log.
    const database = new DatabaseSync(databaseFile(join(server.dataDir, 'objects')))
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    database.close()
    const kept = copy('whole')
    const file = damage(kept)
    const was = join(copies, 'was')
    renameSync(server.dataDir, was)
    renameSync(kept, server.dataDir)
    const before = hashes(server.dataDir)
    const { status, stderr } = serve()
    const told = file.replace(kept, server.dataDir)
    expect([status, stderr], name).toEqual([65, expect.stringContaining(`${told} is damaged`)])
    expect(hashes(server.dataDir), name).toEqual(before)
    execFileSync('rm', ['-r', server.dataDir])
    renameSync(was, server.dataDir)
  }
})
