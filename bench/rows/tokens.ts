import type { Bench } from '../bench.ts'
import type { HttpRequest } from '../load/load-generator.ts'
import { plainRow, type Row } from '../row.ts'
import { CREDENTIALS, signIn } from '../sign-in.ts'
import { type Bare, startBareWorker } from '../start-bare.ts'
import { type Product, startProduct } from '../start-product.ts'
import { median } from '../statistics.ts'

const GROUP = 'Tokens'
const CHECKS = 2_000

/** A login without its hash, a refresh, and the cost of checking a token. */
export async function measureTokens(bench: Bench): Promise<Row[]> {
  const product = await startProduct(bench)
  const alone = await startBareWorker('token-check', {}, [product.process])
  try {
    bench.progress('tokens')
    const { refreshToken } = await signIn(product)
    const rounds = bench.quick ? 3 : 9
    const hashes: number[] = []
    const login: number[] = []
    for (let round = 0; round < rounds; round++) {
      const hash = await hashTime(bench, alone)
      const [whole = Number.NaN] = await timings(bench, product, jsonRequest('POST', CREDENTIALS), 1)
      hashes.push(hash)
      login.push(whole - hash)
    }
    const refresh = await timings(bench, product, jsonRequest('PUT', JSON.stringify({ token: refreshToken })), 60, 201)
    const check: number[] = []
    await spentOn(bench, alone, CHECKS)
    for (let round = 0; round < rounds; round++) {
      check.push((await spentOn(bench, alone, CHECKS)) / CHECKS)
    }
    return [
      plainRow(
        {
          id: 'tokens/login',
          group: GROUP,
          what: 'login, its hash left out',
          unit: 'ms',
          note: `the hash alone takes ${median(hashes).toFixed(0)} ms`,
        },
        login,
      ),
      plainRow({ id: 'tokens/refresh', group: GROUP, what: 'refresh', unit: 'ms' }, refresh.slice(20)),
      plainRow(
        {
          id: 'tokens/check',
          group: GROUP,
          what: 'token check, CPU',
          unit: 'ms',
          better: 'lower',
          target: 0.3,
          note: `${CHECKS.toLocaleString('en-US')} checks in a row inside workerd; the account is then asked of D1`,
        },
        check,
      ),
    ]
  } finally {
    await alone.close()
    await product.close()
  }
}

function jsonRequest(method: 'POST' | 'PUT', body: string): HttpRequest {
  return { method, path: '/v0/token', headers: { 'Content-Type': 'application/json' }, body }
}

async function timings(bench: Bench, { port }: Product, request: HttpRequest, count: number, status = 200) {
  const requests = new Array<HttpRequest>(count).fill(request)
  const { timings } = await bench.load.sequence({ port, requests, concurrency: 1 }, status)
  return timings.map(({ ms }) => ms)
}

/** Milliseconds that one password hash takes. */
async function hashTime(bench: Bench, alone: Bare): Promise<number> {
  const requests: HttpRequest[] = [{ method: 'GET', path: '/hash?times=1', headers: {} }]
  const { timings } = await bench.load.sequence({ port: alone.port('token-check'), requests, concurrency: 1 })
  return timings[0]?.ms ?? Number.NaN
}

/** CPU milliseconds that workerd spends on so many checks. */
async function spentOn(bench: Bench, alone: Bare, times: number): Promise<number> {
  const before = alone.process?.cpuMs() ?? Number.NaN
  const request: HttpRequest = { method: 'GET', path: `/token?times=${times}`, headers: {} }
  await bench.load.sequence({ port: alone.port('token-check'), requests: [request], concurrency: 1 })
  return (alone.process?.cpuMs() ?? Number.NaN) - before
}
