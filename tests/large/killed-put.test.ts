import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, memoryStateStore } from '../../client/index.ts'
import { BLOCKCHAINS, type Blockchain, CHAINS, STORAGE_TARGETS, type StorageTarget } from '../../protocol/chains.ts'
import { mapBounded } from '../../reader/map-bounded.ts'
import { User } from '../cli/run-hookline.ts'
import { connect } from '../kit/call-devnet.ts'
import { type KillPoint, type KillSwitch, killPoints, runKilled } from '../kit/kill-put.ts'
import { type KillingProxy, startKillingProxy } from '../kit/killing-proxy.ts'
import { signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'

/** Of the points every n-th; 1 for all of them. */
const EVERY = Number(process.env.KILL_EVERY ?? 8)
/** Users at a time, each with a proxy of its own: most of a run is waiting. */
const TX_CHAINS = 3

let worker: RunningWorker
let proxies: KillingProxy[]
let folder: string
let library: string
let key: string
let mining: ReturnType<typeof setInterval>

beforeAll(async () => {
  worker = await startWorker({ variables: { QUOTA_UNPAID_ITEMS: '100000' } })
  proxies = await Promise.all(Array.from({ length: TX_CHAINS }, () => startKillingProxy(worker.url)))
  folder = mkdtempSync(join(tmpdir(), 'hookline-library-'))
  library = join(folder, 'put.mjs')
  const entryPoints = ['tests/large/put-by-library.ts']
  await build({
    entryPoints,
    outfile: library,
    bundle: true,
    platform: 'node',
    format: 'esm',
    loader: { '.wasm': 'binary' },
  })
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
  rmSync(folder, { recursive: true, force: true })
  for (const proxy of proxies) await proxy.close()
  await worker.close()
})

const client = (own: string) => createClient({ api: worker.url, key: own, state: memoryStateStore() })

/** A wallet that pays each address that a run shows, once. */
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

/** Kills through the proxy; requests that poll count once. */
function killSwitch(proxy: KillingProxy): KillSwitch {
  let requests = 0
  return {
    killAt(point, kill) {
      requests = 0
      let last = ''
      proxy.kill = kill
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

interface Case {
  proxy: KillingProxy
  by: 'command' | 'library'
  what: 'file' | 'website'
  target: StorageTarget
  point: KillPoint | undefined
  /** Its state folder is removed after the kill. */
  lost: boolean
}

async function seenAt(address: string): Promise<boolean> {
  const { state } = await client(key).payments.get(address)
  return state === 'seen' || state === 'settled'
}

let cases = 0
/** Longest time, in ms, from the end of a run until what its wallet sent was seen by the service. */
let longestSight = 0

/** Writes what nobody has stored before; its name is that of its item. */
function writeContent(user: User, what: Case['what'], target: StorageTarget): string {
  const name = `${what}-${target.toLowerCase()}-${++cases}`
  if (what === 'file') user.write(name, `The only copy of ${name}.`)
  else {
    user.write(`${name}/index.html`, `<title>The only copy of ${name}.</title><link rel=stylesheet href=a.css>`)
    user.write(`${name}/a.css`, `/* of ${name} */`)
  }
  return name
}

async function runOnce({ proxy, by, what, target, point, lost }: Case) {
  const user = new User(proxy.url, { HOOKLINE_KEY: key })
  const name = writeContent(user, what, target)
  const args =
    by === 'library' ? [name, target] : ['put', name, '--to', target.toLowerCase(), '--max-fee', '1', '--wait']
  const program = by === 'library' ? library : undefined
  const payments: string[] = []
  const run = (at: KillPoint | undefined) =>
    runKilled(user, killSwitch(proxy), args, { point: at, pay: wallet(payments), program })
  const first = await run(point)
  if (lost) rmSync(user.path('.local'), { recursive: true, force: true })
  // The service sees what a wallet sent before the next run: its agents poll their nodes. The machine determines the
  // time: the limit is the suite's, and the longest is recorded.
  const since = performance.now()
  for (const address of payments) await expect.poll(() => seenAt(address)).toBe(true)
  longestSight = Math.max(longestSight, performance.now() - since)
  const last = point ? await run(undefined) : first
  const stored = []
  for await (const item of client(key).items.list({ state: 'stored', name })) {
    // The search finds prefixes of words; the name of a website ends in its time of creation.
    if (item.name.split(' ')[0] === name) stored.push(item.id)
  }
  rmSync(user.home, { recursive: true, force: true })
  return { ...last, payments, stored }
}

describe.each(['command', 'library'] as const)('the %s', (by) => {
  it.each([
    ...STORAGE_TARGETS.map((target) => ['file', target] as const),
    ...BLOCKCHAINS.map((target) => ['website', target] as const),
  ])(
    'put of a %s and waited for on %s, ended by SIGKILL at requests, answers and files in turn, pays once',
    async (what, target) => {
      const [proxy] = proxies
      if (!proxy) throw new Error('there is no proxy')
      const whole = await runOnce({ proxy, by, what, target, point: undefined, lost: false })
      expect(whole.code, whole.stderr).toBe(0)
      expect(whole.payments).toHaveLength(1)
      const { requests, writes } = whole
      const points = killPoints(requests, writes).filter((_, index) => index % EVERY === 0)
      console.log(
        `${by}, ${what}, ${target}: ${requests} requests, ${writes} changes of files, ${2 * points.length} kills`,
      )
      const runs = points.flatMap((point) => [false, true].map((lost) => ({ point, lost })))
      const free = [...proxies]
      await mapBounded(runs, TX_CHAINS, async ({ point, lost }) => {
        const own = free.pop()
        if (!own) throw new Error('there is no free proxy')
        const ran = await runOnce({ proxy: own, by, what, target, point, lost })
        free.push(own)
        const where = `${point.side} ${point.at} ${point.number}, ${lost ? 'without' : 'with'} what was kept`
        expect(ran.code, `${where}: ${ran.stderr.slice(-1000)}`).toBe(0)
        expect(ran.payments, where).toHaveLength(1)
        expect(ran.stored, where).toHaveLength(1)
      })
      console.log(`the latest payment was seen after ${Math.round(longestSight)} ms`)
      // What was paid is the price, once: nothing of it is left in the ledger, and nothing more was debited.
      const { balances } = await client(key).account.get()
      expect(Object.values(balances).map(Number)).toEqual([0, 0, 0])
    },
    3_600_000,
  )
})
