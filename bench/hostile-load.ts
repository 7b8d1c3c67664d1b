import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { pathToFileURL } from 'node:url'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { buildHookIfStale } from '../scripts/build.ts'
import { buildConsoleIfStale } from '../scripts/build-console.ts'
import { bundleWorker, type WorkerModule } from '../scripts/bundle-worker.ts'
import { showUsageIfAsked } from '../scripts/show-usage.ts'
import { listen } from '../tests/kit/loopback-server.ts'
import { storeFile } from '../tests/kit/store-files.ts'
import { writeToNode } from '../tests/kit/write-content.ts'
import { CACHED_BLOCK_PREFIX } from '../worker/content/ipfs/blocks/block-key.ts'
import { storeBombs } from './bombs.ts'
import { randomBytes } from './sample-bytes.ts'
import { type Product, startCountedDevnet, startProduct } from './start-product.ts'
import { median } from './statistics.ts'

const USAGE = `Usage: npm run bench:hostile -- [seconds] [bytes]
Anonymous clients fill every cache of the service, by default for 600 seconds, while honest readers read. Each cache may
store that many bytes in an hour, by default 64 MiB.`

export interface HostileLoad {
  modules: WorkerModule[]
  seconds: number
  /** Connections of attackers: a quarter each for bombs, lists of txids, blocks of a gateway, and logins. */
  connections: number
  /** Bytes that each cache may store in an hour. */
  cacheBytes: number
}

export interface HostileOutcome {
  /** Responses to attackers, by status. */
  hostile: Record<number, number>
  honest: {
    reads: number
    failed: string[]
    /** Duration of reads of each kind, median and maximum, in milliseconds. */
    ms: Record<HonestRead, { median: number; most: number }>
  }
  /** Bytes in R2 that attackers caused, by cache, and the hours of the load. */
  kept: { chain: number; ipfs: number; hours: number }
  /** Bytes of D1 before and after. */
  database: { before: number; after: number }
}

/** Chain content in memory, a file that is not in memory, and the same file again. */
type HonestRead = 'warm' | 'cold' | 'again'

/** Packs and lists of chains; nothing else has this prefix. */
const CHAIN_PREFIX = 'chain/'
const TXIDS = 40
const HONEST = '192.0.2.1'
const BLOCK_BYTES = 64 * 1024
const HOUR_MS = 3_600_000

/** Runs attackers and honest readers side by side against a Worker of its own. */
export async function runHostileLoad({
  modules,
  seconds,
  connections,
  cacheBytes,
}: HostileLoad): Promise<HostileOutcome> {
  const devnet = await startCountedDevnet()
  const gateway = await startGateway()
  const variables = { CACHE_BYTES_PER_HOUR: String(cacheBytes), IPFS_GATEWAYS: gateway.url }
  const product = await startProduct({ modules, devnet, variables })
  try {
    const bombs = (await storeBombs(product)).map(({ path, headers }) => ({ path, init: { headers } }))
    const node = devnet.devnet.node('Nativecoin')
    const txids = writeToNode(node, randomBytes(TXIDS * 100, 'hostile lists'), 100)
    const own = writeToNode(node, randomBytes(10 * 1024, 'honest'))
    await ask(product, { path: listPath(own) }, HONEST)
    const before = await databaseBytes(product)
    const started = Date.now()
    const until = started + seconds * 1000
    const hostile: HostileOutcome['hostile'] = {}
    const acts: ((turn: number) => Ask)[] = [
      (turn) => bombs[turn % bombs.length] ?? { path: '/' },
      () => ({ path: `/v0/tx/Nativecoin/${Array.from({ length: 2 + random(6) }, () => txids[random(TXIDS)]).join()}` }),
      () => ({ path: `/ipfs/${gateway.newBlock()}` }),
      (turn) => login(turn),
    ]
    const strangers = Array.from({ length: connections }, async (_, stranger) => {
      const act = acts[stranger % acts.length]
      for (let turn = stranger; act && Date.now() < until; turn++) {
        const { status } = await ask(product, act(turn), addressOf(turn), until)
        if (status > 0) hostile[status] = (hostile[status] ?? 0) + 1
      }
    })
    const honest = readHonestly(product, own, until)
    await Promise.all(strangers)
    const reads = await honest
    const hours = 1 + Math.floor(Date.now() / HOUR_MS) - Math.floor(started / HOUR_MS)
    const kept = {
      chain: await bucketBytes(product, CHAIN_PREFIX),
      ipfs: await bucketBytes(product, CACHED_BLOCK_PREFIX),
      hours,
    }
    return { hostile, honest: reads, kept, database: { before, after: await databaseBytes(product) } }
  } finally {
    await product.close()
    await devnet.close()
    gateway.close()
  }
}

/** One reader: content in memory, then a new file, repeatedly. */
async function readHonestly(
  product: Product,
  txids: readonly string[],
  until: number,
): Promise<HostileOutcome['honest']> {
  const failed: string[] = []
  const times: Record<HonestRead, number[]> = { warm: [], cold: [], again: [] }
  let reads = 0
  while (Date.now() < until) {
    const bytes = randomBytes(20 * 1024, `honest ${reads}`)
    const cid = await storeFile(product.miniflare, bytes)
    const paths: [HonestRead, string][] = [
      ['warm', listPath(txids)],
      ['cold', `/ipfs/${cid}`],
      ['again', `/ipfs/${cid}`],
    ]
    for (const [kind, path] of paths) {
      const begun = performance.now()
      const { status } = await ask(product, { path }, HONEST)
      times[kind].push(performance.now() - begun)
      reads++
      if (status !== 200) failed.push(`${path}: ${status}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const ms = (kind: HonestRead) => ({
    median: Math.round(median(times[kind])),
    most: Math.round(Math.max(0, ...times[kind])),
  })
  return { reads, failed, ms: { warm: ms('warm'), cold: ms('cold'), again: ms('again') } }
}

function listPath(txids: readonly string[]): string {
  return `/v0/tx/Nativecoin/${txids.join()}`
}

interface Ask {
  path: string
  init?: RequestInit
}

/** Requests and reads to the end, or to where the response breaks off; 0 if there was none before `until`. */
async function ask(
  { port }: Product,
  { path, init }: Ask,
  address: string,
  until?: number,
): Promise<{ status: number }> {
  const signal = until === undefined ? null : AbortSignal.timeout(Math.max(1, until - Date.now()))
  let status = 0
  try {
    const headers = { 'CF-Connecting-IP': address, ...init?.headers }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers, signal })
    status = response.status
    for await (const _ of response.body ?? []);
  } catch {
    // Responses to bombs break off where their budget ends; all others when the time is over.
  }
  return { status }
}

/** A login with an unknown address; each one adds rows that count attempts. */
function login(turn: number): Ask {
  const body = JSON.stringify({ email: `nobody${turn}-${random(1e9)}@example.org`, password: 'wrong-Password-1' })
  return { path: '/v0/token', init: { method: 'POST', headers: { 'Content-Type': 'application/json' }, body } }
}

/** Attackers use many addresses. */
function addressOf(turn: number): string {
  return `198.51.${turn % 100}.${random(250)}`
}

function random(below: number): number {
  return Math.floor(Math.random() * below)
}

/** A trustless gateway that has every block it ever named. */
async function startGateway() {
  const seeds = new Map<string, string>()
  const blockOf = (seed: string) => randomBytes(BLOCK_BYTES, seed)
  const server: Server = createServer((request, response) => {
    const seed = seeds.get(/^\/ipfs\/([^/?]+)/.exec(request.url ?? '')?.[1] ?? '')
    if (seed === undefined) return response.writeHead(404).end()
    return response.writeHead(200, { 'Content-Type': 'application/vnd.ipld.raw' }).end(blockOf(seed))
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    newBlock(): CID {
      const seed = `block ${seeds.size}`
      const cid = CID.createV1(0x55, create(0x12, createHash('sha256').update(blockOf(seed)).digest()))
      seeds.set(cid.toString(), seed)
      return cid
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function bucketBytes({ miniflare }: Product, prefix: string): Promise<number> {
  const bucket = await miniflare.getR2Bucket('BUCKET')
  let bytes = 0
  let cursor: string | undefined
  do {
    const page = await bucket.list({ prefix, ...(cursor === undefined ? {} : { cursor }) })
    for (const { size } of page.objects) bytes += size
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor !== undefined)
  return bytes
}

async function databaseBytes({ miniflare }: Product): Promise<number> {
  const db = await miniflare.getD1Database('DB')
  const { meta } = await db.prepare('SELECT 1').all()
  return meta.size_after
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  showUsageIfAsked(USAGE)
  await buildHookIfStale()
  await buildConsoleIfStale()
  const seconds = Number(process.argv[2] ?? 600)
  const cacheBytes = Number(process.argv[3] ?? 64 << 20)
  const outcome = await runHostileLoad({ modules: await bundleWorker(), seconds, connections: 96, cacheBytes })
  console.log(JSON.stringify(outcome, null, 2))
  const { chain, ipfs, hours } = outcome.kept
  if (outcome.honest.failed.length > 0 || Math.max(chain, ipfs) > cacheBytes * hours) process.exitCode = 1
}
