import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findDatabase } from '../../scripts/admin/local-sql.ts'
import { listMigrations, MIGRATIONS } from '../../scripts/migrations.ts'
import { openBucket } from '../../scripts/run-worker.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'

// What 1.0.0 left behind: its schema, rows as it wrote them (fixtures/rows-1.0.0.sql), and two objects.
const FIRST = '0001_schema.sql'
const STORED = {
  id: '6af9a000000000000000000c',
  text: 'Stored by 1.0.0.\n',
  cid: 'bafkreidplvr2dq4m4uz54najb2krg5wp4rkcsamgwhplijha6xpsbceoki',
  object: 'ipfs/blocks/bciqg6xlduhbyzzjt3y2asduvcn3m7zcufeaynmo6wqsob5o7ecei4uq',
}
const HALF = { id: '6af9a000000000000000000d', bytes: Buffer.alloc(2 ** 20 + 4, 'A letter. ') }
const LOGIN = { email: 'ada@example.com', password: 'Correct1' }
const KEY = `hookline_${'A'.repeat(43)}`
const SITE = '6af9a000000000000000000e'
const DENIED = 'bafkreihkg5qvkjxugpwf4or2te7swws5xwcm24pawez2zsla2niaeucsxm'

let stateDir: string
let worker: RunningWorker
let token: string

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'hookline-upgrade-'))
  const { bucket, close } = await openBucket(stateDir)
  await bucket.put(STORED.object, STORED.text)
  await bucket.put(`chunks/${HALF.id}/0`, HALF.bytes.subarray(0, 2 ** 20))
  await close()
  await restoreFirst(await findDatabase(stateDir))
  worker = await startWorker({ stateDir, variables: { STORAGE_HOST: 'storage.localhost:9571' } })
  token = (await ask('POST', '/v0/token', LOGIN)).json().accessToken
})

afterAll(async () => {
  await worker?.close()
  await rm(stateDir, { recursive: true, force: true })
})

/** Makes the database one that no later migration has changed, with the rows of 1.0.0. */
async function restoreFirst(path: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(path + end, { force: true })
  const db = new DatabaseSync(path)
  db.exec(await readFile(join(MIGRATIONS, FIRST), 'utf8'))
  db.exec(await readFile(new URL('./fixtures/rows-1.0.0.sql', import.meta.url), 'utf8'))
  db.exec('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP)')
  db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(FIRST)
  db.close()
}

async function ask(method: string, path: string, body?: unknown, bearer = token) {
  const bytes = body instanceof Uint8Array
  const response = await fetch(worker.url + path, {
    method,
    headers: {
      ...(!bytes && { 'Content-Type': 'application/json' }),
      ...(bearer && { Authorization: `Bearer ${bearer}` }),
    },
    ...(body === undefined ? {} : { body: bytes ? Uint8Array.from(body) : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, text, json: () => JSON.parse(text) }
}

const statusOf = async (id: string): Promise<string> => (await ask('GET', `/v0/item/${id}`)).json().status

describe('an installation of 1.0.0', () => {
  it('has every migration since, and is healthy', async () => {
    const db = await worker.miniflare.getD1Database('DB')
    const { results } = await db.prepare('SELECT name FROM d1_migrations ORDER BY id').all()
    expect(results.map(({ name }) => name)).toEqual(listMigrations())
    expect((await ask('GET', '/v0/health')).status).toBe(200)
  })

  it('has its accounts, keys, balances and webhooks', async () => {
    expect((await ask('GET', '/v0/user')).json()).toMatchObject({
      ...{ email: LOGIN.email },
      balances: { Nativecoin: 3 },
    })
    expect((await ask('GET', '/v0/user/keys')).json().keys).toMatchObject([{ name: 'backup', scopes: ['read'] }])
    expect((await ask('GET', '/v0/user', undefined, KEY)).status).toBe(200)
    expect((await ask('GET', '/v0/webhook')).json().webhooks).toMatchObject([{ url: 'https://example.com/hook' }])
  })

  it('has its withdrawals, and what each cost', async () => {
    const { withdrawals } = (await ask('GET', '/v0/withdrawal')).json()
    expect(withdrawals).toMatchObject([{ state: 'confirmed', amount: 0.00005, fee: 0.000002 }])
  })

  it.each([
    ['name=stored', [STORED.id]],
    ['folder=6af9a000000000000000000b', [HALF.id]],
    ['status=201', [HALF.id]],
  ])('lists its items by %s', async (query, ids) => {
    const { items } = (await ask('GET', `/v0/item?${query}`)).json()
    expect(items.map(({ id }: { id: string }) => id)).toEqual(ids)
  })

  it('answers what was stored, by its id, its CID and its site', async () => {
    expect((await ask('GET', `/v0/content/${STORED.id}`)).text).toBe(STORED.text)
    expect((await ask('GET', `/ipfs/${STORED.cid}`)).text).toBe(STORED.text)
    const site = await worker.miniflare.dispatchFetch(`http://${SITE}.storage.localhost:9571/`)
    expect(await site.text()).toBe(STORED.text)
  })

  it('denies what was denied', async () => {
    expect((await ask('GET', `/ipfs/${DENIED}`)).status).toBe(451)
  })

  it('takes the rest of an upload, and writes it for the balance of then', async () => {
    await ask('PUT', `/v0/item/${HALF.id}/chunk/1`, HALF.bytes.subarray(2 ** 20))
    await ask('POST', `/v0/item/${HALF.id}/merge`)
    await expect.poll(() => statusOf(HALF.id)).toBe('402 Payment Required')
    const paid = await ask('POST', '/v0/payment', { blockchain: 'Nativecoin', ids: [HALF.id] })
    expect([paid.status, paid.text]).toEqual([200, expect.any(String)])
    const written = async () => {
      worker.chains.devnet.mineWaiting()
      return await statusOf(HALF.id)
    }
    await expect.poll(written).toBe('200 OK')
    expect((await ask('GET', `/v0/content/${HALF.id}`)).text).toBe(HALF.bytes.toString())
  })
})
