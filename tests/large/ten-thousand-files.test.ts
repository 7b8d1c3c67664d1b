import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fileStateStore } from '../../cli/state/file-state-store.ts'
import { createClient } from '../../client/create-client.ts'
import { ApiServer, type Fate, type Route, TARGETS } from '../cli/api-server.ts'
import { User } from '../cli/run-hookline.ts'
import { FakeApi } from '../client/fake-api.ts'

const FILES = 10_000
/** Items of one payment request. */
const GROUP = 200
const BETWEEN = 100

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
    const killed = (side: 'before' | 'behind') => {
      // One request before its hundredth reaches the service, the next hundredth behind it.
      const strike = asked % BETWEEN === 0 && (asked % (2 * BETWEEN) === 0 ? 'before' : 'behind') === side
      if (strike) dead = true
      if (dead) throw new Killed()
    }
    api.before = () => {
      if (dead) throw new Killed()
      asked++
      killed('before')
      return undefined
    }
    api.after = () => killed('behind')
    // A lock would outlive a client that is killed inside of this process.
    const { lock: _, ...store } = fileStateStore(folder, { anew: false })
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
    const end = await client.put(files, { to: 'Nativecoin' }).catch((error: unknown) => error)
    done = !dead
    if (done) expect(end).toMatchObject({ failed: [], paid: true })
  }
  expect(runs).toBeGreaterThan(FILES / BETWEEN)
  expectOneOrder(api)
})

it('command 9: 10,000 files by the command, its connections cut at every hundredth request and itself killed five times', async () => {
  const profile: Route = [
    'GET',
    /^\/v0\/user$/,
    async () => {
      const answer = await api.fake.fetch(`${api.url}/v0/user`, { method: 'GET' })
      const found = JSON.parse(await answer.text())
      return { json: { ...found, balances: { ...found.balances, Nativecoin: 10 } } }
    },
  ]
  const api = await ApiServer.start([TARGETS, profile])
  api.fake.balance = 1e9
  const user = new User(api.url)
  for (let index = 0; index < FILES; index++) user.write(`many/${index % 10}/${index}.txt`, textOf(index))
  let kills = 0
  for (let ended = false; !ended; ) {
    expect(kills).toBeLessThanOrEqual(5)
    let child: ChildProcess | undefined
    api.fate = ({ path }, index): Fate => {
      if (index % (20 * BETWEEN) === 0) {
        kills++
        child?.kill('SIGKILL')
        return kills % 2 === 0 ? 'cut before' : 'cut after'
      }
      if (index % BETWEEN !== 0) return 'answer'
      // A chunk whose answer is lost is sent again by the same run; whatever else is lost is not done again.
      return path.includes('/chunk/') ? 'cut before' : 'cut after'
    }
    const ran = await user.run(['put', 'many', '--to', 'nativecoin', '--max-fee', '1', '--pay-from-balance'], {
      onStart(started) {
        child = started
      },
    })
    ended = ran.signal === null
    if (ended) expect(ran.code, ran.stderr.slice(-2000)).toBe(0)
  }
  expect(kills).toBe(5)
  expectOneOrder(api.fake)
})
