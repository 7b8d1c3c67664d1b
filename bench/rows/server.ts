import { setTimeout as sleep } from 'node:timers/promises'
import { BLOCKCHAINS } from '../../protocol/chains.ts'
import { signUp } from '../../tests/kit/sign-up.ts'
import { type SendRequest, uploadItem } from '../../tests/kit/upload-item.ts'
import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import { countSyncs } from '../count-syncs.ts'
import { type HttpRequest, requestBytes } from '../load/load-generator.ts'
import { rawRequest } from '../raw-request.ts'
import { pairedRow, plainRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import { type BuiltServer, startBuiltServer } from '../start-built-server.ts'
import { startProduct } from '../start-product.ts'
import { clientHeaders } from '../warm-pair.ts'

const GROUP = 'On a machine of one’s own, beside npm start'
const MIB = 1 << 20
/** The most that a chain's content may have by default, in whole transactions: it is in no memory. */
const LARGE = 16 * MIB - 99_000
const ITEMS = 1_000
/** Of one payment. */
const BATCH = 200
const IDLE_MS = 30_000
const BLOCK_MS = 250
const STORED_WITHIN_MS = 300_000

/** What the built server takes, and how fast it is beside the same Worker on Miniflare. */
export async function measureServer(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  const built = await startBuiltServer(bench.devnet)
  try {
    if (bench.isSelected('server/start')) rows.push(await measureStart(bench, built))
    if (bench.isSelected('server/warm') || bench.isSelected('server/large'))
      rows.push(...(await measurePair(bench, built)))
    if (bench.isSelected('server/memory')) rows.push(await measureResident(bench, built))
    if (bench.isSelected('server/syncs')) rows.push(...(await measureSyncs(bench, built)))
  } finally {
    await built.close()
  }
  return rows
}

async function measureStart(bench: Bench, built: BuiltServer): Promise<Row> {
  const times: number[] = []
  for (let round = 0; round < 7; round++) {
    bench.progress(`server: start ${round + 1} of 7`)
    times.push(await built.restart())
  }
  const what = 'from the command to the first answer'
  return plainRow({ id: 'server/start', group: GROUP, what, unit: 'ms', better: 'lower', target: 1_000 }, times)
}

async function measurePair(bench: Bench, built: BuiltServer): Promise<Row[]> {
  bench.progress('server: npm start beside it')
  const product = await startProduct({ ...bench, known: [built.process] })
  try {
    const node = bench.devnet.devnet.node('Nativecoin')
    const ports = [built.server.port, product.port] as const
    const rows: Row[] = []
    if (bench.isSelected('server/warm')) {
      for (const [id, what, size] of [
        ['server/warm-1k', 'warm GET /v0/tx, 1 KB', 1024],
        ['server/warm-100k', 'warm GET /v0/tx, 100 KB', 100 * 1024],
      ] as const) {
        const txids = writeToNode(node, randomBytes(size, id))
        rows.push(await measureWarm(bench, ports, { id, what, path: `/v0/tx/Nativecoin/${txids.join()}` }))
      }
    }
    if (bench.isSelected('server/large')) {
      const txids = writeToNode(node, randomBytes(LARGE, 'server large'), 99_000)
      rows.push(await measureLarge(bench, ports, txids))
    }
    return rows
  } finally {
    await product.close()
  }
}

type Ports = readonly [ours: number, miniflare: number]

async function measureWarm(
  bench: Bench,
  ports: Ports,
  { id, what, path }: { id: string; what: string; path: string },
): Promise<Row> {
  // What stands for the edge of Cloudflare is for Miniflare alone: the server makes it of the other header.
  const { 'Accept-Encoding': coding = '', ...edge } = clientHeaders('identity')
  const requests = [{ 'Accept-Encoding': coding }, { 'Accept-Encoding': coding, ...edge }].map(
    (headers): HttpRequest => ({ method: 'GET', path, headers }),
  )
  const targets = requests.map((request, at) => ({ port: ports[at] ?? 0, bytes: requestBytes(request), status: 200 }))
  for (const [at, request] of requests.entries()) {
    const port = ports[at] ?? 0
    for (let turn = 0; turn < 3; turn++) await rawRequest(port, request)
    const { headers } = await rawRequest(port, request)
    if (headers['server-timing'] !== 'cache;desc=memory') throw new Error(`${id}: ${headers['server-timing']}`)
  }
  const duel = (slices: number) => bench.load.duel({ targets, connections: 8, slices, sliceMs: 50 })
  await duel(10)
  const pairs: { value: number; limit: number }[] = []
  for (let round = 0; round < 8; round++) {
    bench.progress(`${what}: round ${round + 1} of 8`)
    const [ours, theirs] = await duel(12)
    if (!ours || !theirs) throw new Error('a duel has two sides')
    pairs.push({ value: ours.requests / ours.seconds, limit: theirs.requests / theirs.seconds })
  }
  const row = { id, group: GROUP, what, unit: 'req/s', limitWhat: 'npm start', better: 'higher', target: 0.9 } as const
  return pairedRow(row, pairs)
}

async function measureLarge(bench: Bench, ports: Ports, txids: readonly string[]): Promise<Row> {
  const body = JSON.stringify({ blockchain: 'Nativecoin', txids })
  const headers = { 'Content-Type': 'application/json', ...clientHeaders('identity') }
  const read = async (port: number): Promise<number> => {
    const begun = performance.now()
    const answer = await rawRequest(port, { method: 'POST', path: '/v0/web', headers, body })
    if (answer.status !== 200 || answer.body.length !== LARGE) throw new Error(`16 MiB: ${answer.status}`)
    return performance.now() - begun
  }
  for (const port of ports) {
    await read(port)
    // What was read from the node is stored after it was sent.
    await sleep(5_000)
    await read(port)
  }
  const pairs: { value: number; limit: number }[] = []
  for (let round = 0; round < 11; round++) {
    bench.progress(`server: 16 MiB, round ${round + 1} of 11`)
    pairs.push({ value: await read(ports[0]), limit: await read(ports[1]) })
  }
  const what = 'POST /v0/web, 16 MiB that no memory has'
  return pairedRow(
    { id: 'server/large', group: GROUP, what, unit: 'ms', limitWhat: 'npm start', better: 'lower', target: 1.5 },
    pairs,
  )
}

async function measureResident(bench: Bench, built: BuiltServer): Promise<Row> {
  await built.restart()
  const { url } = built.server
  const token = await signUp({ url, chains: bench.devnet }, 'bench@example.com')
  const send: SendRequest = (method, path, body) =>
    fetch(`${url}/v0${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    })
  const mining = setInterval(() => bench.devnet.devnet.mineWaiting(), BLOCK_MS)
  built.process.resetPeak()
  try {
    for (let stored = 0; stored < ITEMS; stored += BATCH) {
      bench.progress(`server: ${stored} of ${ITEMS} items`)
      await storeAndPay(bench, send, stored)
    }
  } finally {
    clearInterval(mining)
  }
  const resident = built.process.residentBytes() / 1e6
  return plainRow(
    {
      id: 'server/memory',
      group: GROUP,
      what: `resident after ${ITEMS} items were stored, paid and written`,
      unit: 'MB',
      better: 'lower',
      target: 400,
      note: `CACHE_MEMORY of 128 MiB, the default; ${(built.process.peakBytes() / 1e6).toFixed(0)} MB at the most`,
    },
    [resident],
  )
}

async function storeAndPay(bench: Bench, send: SendRequest, first: number): Promise<void> {
  const ids: string[] = []
  for (let at = first; at < first + BATCH; at++) {
    const fields = { name: `${at}.bin`, mimetype: 'application/octet-stream', blockchain: 'Nativecoin' }
    const id = await uploadItem(send, fields, Uint8Array.from(randomBytes(300, `server item ${at}`)))
    await send('POST', `/item/${id}/merge`)
    ids.push(id)
  }
  const until = Date.now() + STORED_WITHIN_MS
  const reach = async (id: string, isReached: (item: { status: string; merging?: boolean }) => boolean) => {
    for (;;) {
      const text = await (await send('GET', `/item/${id}`)).text()
      if (isReached(JSON.parse(text))) return
      if (Date.now() > until) throw new Error(`not in time: ${text}`)
      await sleep(100)
    }
  }
  for (const id of ids) await reach(id, ({ merging }) => merging !== true)
  const asked = await send('POST', '/payment', JSON.stringify({ blockchain: 'Nativecoin', ids }))
  const { address, amount }: { address: string; amount: number } = JSON.parse(await asked.text())
  const call = JSON.stringify({ id: 1, method: 'sendtoaddress', params: [address, amount] })
  const paid = bench.devnet.devnet.handle('Nativecoin', call)
  if (paid.status !== 200) throw new Error(`sendtoaddress: ${paid.body}`)
  for (const id of ids) await reach(id, ({ status }) => status === '200 OK')
}

async function measureSyncs(bench: Bench, built: BuiltServer): Promise<Row[]> {
  await built.restart()
  // The jobs of the minute have run by then, and every chain's agent.
  await sleep(5_000)
  bench.progress(`server: idle for ${IDLE_MS / 1000} s`)
  const count = await countSyncs(built.process.pid, IDLE_MS)
  if (count === undefined) return []
  const what = 'syncs a second for each chain, idle'
  const row = { id: 'server/syncs', group: GROUP, what, unit: '/s', better: 'lower', target: 2 } as const
  return [plainRow(row, [count / (IDLE_MS / 1000) / BLOCKCHAINS.length])]
}
