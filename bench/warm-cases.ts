import type { Bench } from './bench.ts'
import { type HttpRequest, requestBytes } from './load/load-generator.ts'
import { pairedRow, type Row } from './row.ts'
import type { Product } from './start-product.ts'
import { median, spread } from './statistics.ts'
import { portName, type WarmPair, type WarmRequest, withWarmPair } from './warm-pair.ts'
import { WorkerdProcess } from './workerd-process.ts'

const CONNECTIONS = 8
const SLICE_MS = 50
/** A row of the full bench whose middle half is wider than this is measured again, at most so often. */
const NOISY = 0.1
const REPEATS = 3

/** A request from memory, and what its row says. */
export interface WarmCase extends WarmRequest {
  what: string
  target: number
  /** The same bytes by nginx, for the note of the row. */
  nginx?: { port: number; pid: number; request: HttpRequest; status: number }
}

interface Measured {
  warm: WarmCase
  pairs: { value: number; limit: number }[]
  /** The bare Worker's CPU time for a request over the product's. */
  cpu: number[]
  /** The product's CPU time for a request, in microseconds. */
  cpuUs: number[]
  nginx: { perSecond: number; cpuUs: number }[]
}

/**
 * Requests per second from memory, compared with a Worker that only has those responses. Both are restarted a few
 * times, because the place of a large body in memory changes its speed by a fifth for the life of a process.
 */
export async function measureWarmCases(
  bench: Bench,
  group: string,
  starts: number,
  prepare: (product: Product) => Promise<WarmCase[]>,
  slices = bench.quick ? 6 : 12,
): Promise<Row[]> {
  const measured = new Map<string, Measured>()
  for (let start = 0; start < starts; start++) {
    bench.progress(`${group}: start ${start + 1} of ${starts}`)
    const found = await withWarmPair(bench, prepare, (warm, { product, bare }) =>
      measureCase(bench, warm, slices, { product, bare }),
    )
    for (const one of found) measured.set(one.warm.id, joined(measured.get(one.warm.id), one))
  }
  return [...measured.values()].map((each) => warmRow(group, each))
}

function joined(before: Measured | undefined, { warm, pairs, cpu, cpuUs, nginx }: Measured): Measured {
  return {
    warm,
    pairs: [...(before?.pairs ?? []), ...pairs],
    cpu: [...(before?.cpu ?? []), ...cpu],
    cpuUs: [...(before?.cpuUs ?? []), ...cpuUs],
    nginx: [...(before?.nginx ?? []), ...nginx],
  }
}

function warmRow(group: string, { warm: { id, what, target }, pairs, cpu, cpuUs, nginx }: Measured): Row {
  const perSecond = median(nginx.map((round) => round.perSecond))
  const byNginx = `; nginx ${perSecond.toFixed(0)}/s, ${median(nginx.map((round) => round.cpuUs)).toFixed(0)} µs`
  const row = { id, group, what, unit: 'req/s', limitWhat: 'bare Worker', better: 'higher' as const, target }
  const note = `by CPU per request ${median(cpu).toFixed(2)}, ${median(cpuUs).toFixed(0)} µs`
  return pairedRow({ ...row, note: nginx.length > 0 ? note + byNginx : note }, pairs)
}

async function measureCase(bench: Bench, warm: WarmCase, slices: number, pair: WarmPair): Promise<Measured> {
  let found = await measureRounds(bench, warm, slices, pair)
  const isNoisy = () => spread(found.pairs.map(({ value, limit }) => value / limit)) > NOISY
  for (let turn = 0; turn < REPEATS && !bench.quick && isNoisy(); turn++) {
    bench.progress(`${warm.what}: noisy, measuring again`)
    found = await measureRounds(bench, warm, slices, pair)
  }
  return found
}

async function measureRounds(
  bench: Bench,
  warm: WarmCase,
  slices: number,
  { product, bare }: WarmPair,
): Promise<Measured> {
  const { nginx, status } = warm
  const bytes = requestBytes(warm.request)
  const targets = [product.port, bare.port(portName(warm.id))].map((port) => ({ port, bytes, status }))
  if (nginx) targets.push({ port: nginx.port, bytes: requestBytes(nginx.request), status: nginx.status })
  const processes = [product.process, bare.process, nginx && new WorkerdProcess(nginx.pid)]
  const cpuMs = () => processes.map((process) => process?.cpuMs() ?? Number.NaN)
  const duel = () => bench.load.duel({ targets, connections: CONNECTIONS, slices, sliceMs: SLICE_MS })
  await duel()
  const rounds = bench.quick ? 3 : 4
  const measured: Measured = { warm, pairs: [], cpu: [], cpuUs: [], nginx: [] }
  for (let round = 0; round < rounds; round++) {
    bench.progress(`${warm.what}: round ${round + 1} of ${rounds}`)
    const before = cpuMs()
    const outcomes = await duel()
    const after = cpuMs()
    const sides = outcomes.map(({ requests, seconds }, index) => ({
      perSecond: requests / seconds,
      cpuUs: (1000 * ((after[index] ?? 0) - (before[index] ?? 0))) / requests,
    }))
    const [ours, theirs, others] = sides
    if (!ours || !theirs) throw new Error('a duel has two sides')
    measured.pairs.push({ value: ours.perSecond, limit: theirs.perSecond })
    measured.cpuUs.push(ours.cpuUs)
    measured.cpu.push(theirs.cpuUs / ours.cpuUs)
    if (others) measured.nginx.push(others)
  }
  return measured
}
