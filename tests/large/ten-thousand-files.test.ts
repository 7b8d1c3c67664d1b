import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../client/create-client.ts'
import { fileStore } from '../../client/stores/file-store.ts'
import { User } from '../cli/run-hookline.ts'
import { FakeApi } from '../client/fake-api.ts'
import { connect } from '../kit/call-devnet.ts'
import { startKillingProxy } from '../kit/killing-proxy.ts'
import { PASSWORD, signUp } from '../kit/sign-up.ts'
import { startWorker } from '../kit/start-worker.ts'

const FILES = 10_000
/** Items of one payment request. */
const GROUP = 200
const BETWEEN = 100
const EMAIL = 'ada@example.com'
/** Times that the command is killed, and requests that it has under way at once. */
const KILLS = 5
const UNDER_WAY = 4

const textOf = (index: number) => `file ${index} ${'x'.repeat(index % 100)}`
const BYTES = Array.from({ length: FILES }, (_, index) => textOf(index).length).reduce((sum, size) => sum + size, 0)

/** Every file is an item that was sent, and paid for, once. */
function expectOneOrder(api: FakeApi): void {
  const items = [...api.items.values()]
  expect(items).toHaveLength(FILES)
  expect(new Set(items.map(({ name }) => name)).size).toBe(FILES)
  expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['202 Accepted']))
  expect(api.received).toBe(BYTES)
  expect(api.charges).toBe(FILES / GROUP)
}

class Killed extends Error {}

it('command 9: 10,000 files in one put, killed at every hundredth request, are one order of which nothing is sent or paid twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const api = new FakeApi()
  api.balance = 1e9
  const files = Array.from({ length: FILES }, (_, index) => ({ path: `many/${index}.txt`, content: textOf(index) }))
  let asked = 0
  let runs = 0
  for (let done = false; !done; runs++) {
    expect(runs).toBeLessThan(150)
    let dead = false
    const killed = (side: 'before' | 'after') => {
      // One kill before a hundredth request reaches the service, the next after a hundredth one.
      const kills = asked % BETWEEN === 0 && (asked % (2 * BETWEEN) === 0 ? 'before' : 'after') === side
      if (kills) dead = true
      if (dead) throw new Killed()
    }
    api.before = () => {
      if (dead) throw new Killed()
      asked++
      killed('before')
      return undefined
    }
    api.after = () => killed('after')
    // A lock would outlive a client that is killed inside of this process.
    const { lock: _, ...store } = fileStore(folder, { anew: false })
    const client = createClient({
      api: 'https://api.test',
      key: 'hk_test',
      fetch: api.fetch,
      sleep: async (_, signal) => signal?.throwIfAborted(),
      state: {
        ...store,
        async append(key, record) {
          if (dead) throw new Killed()
          await store.append(key, record)
        },
      },
    })
    const end = await client
      .put(files, { to: 'Nativecoin', pay: 'balance', maxFee: '10' })
      .catch((error: unknown) => error)
    done = !dead
    if (done) expect(end).toMatchObject({ failed: [], paid: true })
  }
  expect(runs).toBeGreaterThan(FILES / BETWEEN)
  expectOneOrder(api)
})

it('command 9: 10,000 files by the command to the running service, cut at every hundredth request and killed five times, are one order of which nothing is sent or paid twice', async () => {
  const worker = await startWorker()
  onTestFinished(() => worker.close())
  const proxy = await startKillingProxy(worker.url)
  onTestFinished(() => proxy.close())
  await signUp(worker, EMAIL)
  const user = new User(proxy.url, { HOOKLINE_KEY: '' })
  await user.run(['login', '--email', EMAIL, '--password-stdin'], { input: PASSWORD })
  const deposit = await user.json(['balance', '--deposit', 'nativecoin'])
  connect(worker.chains.devnet, 'Nativecoin')('sendtoaddress', deposit.document.result.address, 20)
  const balance = async (): Promise<number> =>
    Number((await user.json(['balance'])).document.result.balances.Nativecoin)
  await expect
    .poll(
      () => {
        worker.chains.devnet.mineWaiting()
        return balance()
      },
      { interval: 1000 },
    )
    .toBe(20)
  for (let index = 0; index < FILES; index++) user.write(`many/${index % 10}/${index}.txt`, textOf(index))
  let child: ChildProcess | undefined
  let kills = 0
  proxy.kill = () => {
    kills++
    child?.kill('SIGKILL')
  }
  const begun = Date.now()
  for (let ended = false; !ended; ) {
    let dead = false
    proxy.fate = (number, name) => {
      if (dead) return 'cut before'
      if (kills < KILLS && number % (FILES / KILLS) === 0) {
        dead = true
        return kills % 2 === 0 ? 'before' : 'after'
      }
      if (number % BETWEEN !== 0) return 'pass'
      // A chunk whose answer is lost is sent again by the same run; other lost requests are not repeated.
      return name.includes('/chunk/') ? 'cut before' : 'cut after'
    }
    const ran = await user.run(['put', 'many', '--to', 'nativecoin', '--max-fee', '10', '--pay-from-balance'], {
      onStart(started) {
        child = started
      },
    })
    ended = ran.signal === null
    if (ended) expect(ran.code, ran.stderr.slice(-2000)).toBe(0)
  }
  console.log(`10,000 files: ${Math.round((Date.now() - begun) / 1000)} s`)
  expect(kills).toBe(KILLS)
  // No item was made that another one replaced, and only what was being sent at a kill was sent again.
  const sent = [...proxy.received].filter(([name]) => name.includes('/chunk/'))
  expect(sent).toHaveLength(FILES)
  expect(sent.filter(([, times]) => times > 1).length).toBeLessThanOrEqual(KILLS * UNDER_WAY)
  const db = await worker.miniflare.getD1Database('DB')
  const { results } = await db
    .prepare(
      'SELECT COUNT(*) AS items, COUNT(DISTINCT name) AS names, SUM(size) AS bytes FROM items WHERE removed_at IS NULL',
    )
    .all()
  expect(results).toEqual([{ items: FILES, names: FILES, bytes: BYTES }])
  const { results: charges } = await db
    .prepare('SELECT COUNT(*) AS paid, COUNT(DISTINCT item_id) AS items FROM writes')
    .all()
  expect(charges).toEqual([{ paid: FILES, items: FILES }])
  // Each request was paid once: what the balance lost is what the requests say.
  const { results: ledger } = await db
    .prepare("SELECT COUNT(*) AS payments, -SUM(CAST(amount AS INTEGER)) AS paid FROM ledger WHERE amount LIKE '-%'")
    .all<{ payments: number; paid: number }>()
  expect(ledger[0]?.payments).toBe(FILES / GROUP)
  expect(await balance()).toBeCloseTo(20 - (ledger[0]?.paid ?? 0) / 1e8, 8)
})
