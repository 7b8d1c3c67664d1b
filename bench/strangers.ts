import { createHash, randomInt } from 'node:crypto'
import { signFront } from '../worker/platform/http/sign-front.ts'
import type { Product } from './start-product.ts'

const TICK_MS = 50

/** Signs addresses as a proxy with the `FRONT_KEY` of the Worker does; the same in all threads. */
const FRONT_KEY = createHash('sha256').update('front of the bench').digest()
export const FRONT_VARIABLES = { FRONT_KEY: FRONT_KEY.toString('base64url') }

interface FrontRequest {
  method: string
  /** After `/v0`. */
  path: string
  body?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Sends a request as a client with this address, through a signed proxy. */
export async function sendThroughFront(
  { port }: Pick<Product, 'port'>,
  address: string,
  { method, path, body, headers, signal }: FrontRequest,
): Promise<{ status: number; body: string }> {
  const front = signFront(address, FRONT_KEY, Date.now())
  const response = await fetch(`http://127.0.0.1:${port}/v0${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', 'Hookline-Client-IP': front, ...headers },
    ...(body === undefined ? {} : { body }),
    ...(signal && { signal }),
  })
  return { status: response.status, body: await response.text() }
}

/** An address in a /64 that was not used before. */
export function strangerAddress(): string {
  const group = () => randomInt(0x10000).toString(16)
  return `2001:db8:${group()}:${group()}::1`
}

/** What attackers sent, and the statuses of the responses; 0 for none. */
export interface Sent {
  sent: number
  statuses: string
}

/** Limits of waiting. */
interface Patience {
  /** Most open requests; those that are due beyond that are not sent. */
  mostUnderWay: number
  /** The timeout of a request, in milliseconds. */
  timeoutMs: number
}

/** Sends this many requests a second until then (milliseconds since 1970), whether or not earlier ones are answered. */
export async function sendEvenly(
  perSecond: number,
  until: number,
  send: (index: number, signal: AbortSignal) => Promise<number>,
  { mostUnderWay, timeoutMs }: Patience,
): Promise<Sent> {
  const statuses = new Map<number, number>()
  const underWay = new Set<Promise<void>>()
  let sent = 0
  const sendOne = async (index: number) => {
    const status = await send(index, AbortSignal.timeout(timeoutMs)).catch(() => 0)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const begun = Date.now()
  while (Date.now() < until) {
    const due = ((Date.now() - begun) / 1000) * perSecond
    while (sent < due && underWay.size < mostUnderWay) {
      const one = sendOne(sent++).finally(() => underWay.delete(one))
      underWay.add(one)
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
  await Promise.all(underWay)
  return { sent, statuses: [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ') }
}
