import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, memoryStateStore } from '../../client/index.ts'
import { BLOCKCHAINS, type Blockchain, CHAINS, STORAGE_TARGETS, type StorageTarget } from '../../protocol/chains.ts'
import { User } from '../cli/run-hookline.ts'
import { connect } from '../kit/call-devnet.ts'
import { type Between, type KillPoint, killPoints, runKilled } from '../kit/kill-put.ts'
import { signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { type StrikingProxy, startStrikingProxy } from '../kit/striking-proxy.ts'

/** Of the points every n-th: all of them (1) take some two hours. */
const EVERY = Number(process.env.KILL_EVERY ?? 8)

let worker: RunningWorker
let proxy: StrikingProxy
let key: string
let mining: ReturnType<typeof setInterval>

beforeAll(async () => {
  worker = await startWorker({ variables: { QUOTA_UNPAID_ITEMS: '100000' } })
  proxy = await startStrikingProxy(worker.url)
  const token = await signUp(worker, 'ada@example.com')
  const made = await client(token).keys.create({
    name: 'kills',
    scopes: ['read', 'store', 'pay'],
    spending: { Nativecoin: '1' },
  })
  key = made.key
  mining = setInterval(() => worker.chains.devnet.mineWaiting(), 200)
})
afterAll(async () => {
  clearInterval(mining)
  await proxy.close()
  await worker.close()
})

const client = (own: string) => createClient({ api: worker.url, key: own, state: memoryStateStore() })

/** A wallet that pays whatever is shown, each time that a run shows it. */
function wallet(payments: string[]) {
  const paid = new Set<string>()
  return (shown: string) => {
    for (const [, chain = '', address = '', amount] of shown.matchAll(/(\w+):(\w+)\?amount=([\d.]+)\s/g)) {
      if (paid.has(address)) continue
      paid.add(address)
      payments.push(address)
      connect(worker.chains.devnet, chainOf(chain))('sendtoaddress', address, amount)
    }
  }
}

function chainOf(scheme: string): Blockchain {
  const found = BLOCKCHAINS.find((name) => CHAINS[name].uriScheme === scheme)
  if (!found) throw new Error(`there is no chain of ${scheme}:`)
  return found
}

/** The proxy before the service; what is asked again and again while something is waited for counts once. */
function between(): Between {
  let requests = 0
  return {
    killAt(point, strike) {
      requests = 0
      let last = ''
      proxy.strike = strike
      proxy.fate = (_number, name) => {
        const again = name === last || (/GET \/v0\/(item|payment)/.test(name) && /GET \/v0\/(item|payment)/.test(last))
        last = name
        if (again || ++requests !== point?.number) return 'pass'
        return point.side
      }
    },
    requests: () => requests,
  }
}

let cases = 0

async function runOnce(target: StorageTarget, { point, lost }: { point: KillPoint | undefined; lost: boolean }) {
  const user = new User(proxy.url, { HOOKLINE_KEY: key })
  const name = `${target.toLowerCase()}-${++cases}.txt`
  user.write(name, `The only copy of ${name}.`)
  const args = ['put', name, '--to', target.toLowerCase(), '--max-fee', '1', '--wait']
  const payments: string[] = []
  const first = await runKilled(user, between(), args, { point, pay: wallet(payments) })
  if (lost) rmSync(user.path('.local'), { recursive: true, force: true })
  // What a wallet sent is seen by the service before anybody is asked again.
  const last = point ? await runKilled(user, between(), args, { point: undefined, pay: wallet(payments) }) : first
  const stored = []
  for await (const item of client(key).items.list({ state: 'stored', name })) stored.push(item.id)
  return { ...last, payments, stored }
}

it.each(STORAGE_TARGETS)(
  'put --wait to %s, ended by SIGKILL at requests, answers and files in turn, pays once',
  async (target) => {
    const { requests, writes, code, stderr, payments } = await runOnce(target, { point: undefined, lost: false })
    expect(code, stderr).toBe(0)
    expect(payments).toHaveLength(1)
    const points = killPoints(requests, writes).filter((_, index) => index % EVERY === 0)
    console.log(`${target}: ${requests} requests, ${writes} changes of files, ${2 * points.length} kills`)
    for (const point of points) {
      for (const lost of [false, true]) {
        const ran = await runOnce(target, { point, lost })
        const what = `${point.side} ${point.at} ${point.number}, ${lost ? 'without' : 'with'} what was kept`
        expect(ran.code, `${what}: ${ran.stderr.slice(-1000)}`).toBe(0)
        expect(ran.payments, what).toHaveLength(1)
        expect(ran.stored, what).toHaveLength(1)
      }
    }
    // What was paid is what was asked for, once: nothing of it is left in the ledger, and nothing more was taken.
    const { balances } = await client(key).account.get()
    expect(Object.values(balances).map(Number)).toEqual([0, 0, 0])
  },
  3_600_000,
)
