import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { User } from '../cli/run-hookline.ts'
import { connect } from '../kit/call-devnet.ts'
import { type KillingProxy, startKillingProxy } from '../kit/killing-proxy.ts'
import { PASSWORD, signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'

const EMAIL = 'ada@example.com'
const FILES = 120
const BETWEEN = 30

let worker: RunningWorker
let proxy: KillingProxy
let mining: ReturnType<typeof setInterval>

beforeAll(async () => {
  worker = await startWorker()
  proxy = await startKillingProxy(worker.url)
  await signUp(worker, EMAIL)
  mining = setInterval(() => worker.chains.devnet.mineWaiting(), 200)
})
afterAll(async () => {
  clearInterval(mining)
  await proxy.close()
  await worker.close()
})

it('command 9: a put to the running service, killed at every thirtieth request, stores each file once and pays once', async () => {
  const user = new User(proxy.url, { HOOKLINE_KEY: '' })
  await user.run(['login', '--email', EMAIL, '--password-stdin'], { input: PASSWORD })
  for (let index = 0; index < FILES; index++) user.write(`many/${index}.txt`, `file ${index}`)
  const args = ['put', 'many', '--to', 'nativecoin', '--max-fee', '1', '--json']
  let asked = 0
  let kills = 0
  let document: { result?: { payments: { address: string; amount: string }[] } } = {}
  for (let ended = false; !ended; ) {
    expect(kills).toBeLessThan(60)
    let child: ChildProcess | undefined
    let dead = false
    proxy.kill = () => {
      dead = true
      kills++
      child?.kill('SIGKILL')
    }
    proxy.fate = () => {
      if (dead) return 'before'
      if (++asked % BETWEEN !== 0) return 'pass'
      return asked % (2 * BETWEEN) === 0 ? 'before' : 'after'
    }
    const ran = await user.run(args, {
      onStart(started) {
        child = started
      },
    })
    ended = ran.signal === null
    if (ended) {
      expect(ran.code, ran.stderr.slice(-2000)).toBe(0)
      document = JSON.parse(ran.stdout)
    }
  }
  expect(kills).toBeGreaterThan(3)
  const [payment, ...more] = document.result?.payments ?? []
  expect(more).toEqual([])
  const pay = connect(worker.chains.devnet, 'Nativecoin')
  pay('sendtoaddress', payment?.address, payment?.amount)
  proxy.fate = () => 'pass'
  const stored = await user.json(['put', 'many', '--to', 'nativecoin', '--max-fee', '1', '--wait'])
  expect(stored.document, stored.stderr.slice(-2000)).toMatchObject({ ok: true, result: { state: 'stored' } })
  const db = await worker.miniflare.getD1Database('DB')
  const { results } = await db
    .prepare('SELECT name, status FROM items WHERE removed_at IS NULL')
    .all<{ name: string; status: number }>()
  expect(results.map(({ name }) => name).sort()).toEqual(Array.from({ length: FILES }, (_, n) => `${n}.txt`).sort())
  // No item was made that another one replaced.
  expect([...proxy.received.keys()].filter((name) => name.includes('/chunk/'))).toHaveLength(FILES)
  // What was paid is the price: nothing of it is left, and nothing more was debited.
  const { document: after } = await user.json(['balance'])
  expect(after.result.balances).toMatchObject({ Nativecoin: '0' })
})
