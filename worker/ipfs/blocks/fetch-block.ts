import type { CID } from 'multiformats/cid'
import { concatBytes } from '../../../protocol/bytes.ts'
import { canonicalCid } from '../../../protocol/cid.ts'
import { AppError } from '../../http/errors.ts'
import { MAX_BLOCK_BYTES, verifyBlock } from './verify-block.ts'

/** How long the first gateway is waited for before all the others are asked as well, in milliseconds. */
const HEDGE_MS = 400
/** How long a block may take in all, in milliseconds. */
const DEADLINE_MS = 9_000

/** The trustless gateways of one request: the best so far first; those that lied are gone. */
export interface GatewayPool {
  urls: string[]
  fetch: typeof fetch
}

type Failure = 'absent' | 'late' | 'broken'

class GatewayFailure extends Error {
  readonly failure: Failure

  constructor(failure: Failure, message: string) {
    super(message)
    this.failure = failure
  }
}

/**
 * Fetches one block from the gateways and checks it (Trustless Gateway specification, block responses). The
 * gateway that answered last time is asked alone first; when it fails or `HEDGE_MS` pass, so are the others.
 * A gateway whose bytes do not match is not asked again in this request.
 * @throws {AppError} 404 when every gateway says that it has no such block, 504 when none answered in time,
 *   502 otherwise.
 */
export async function fetchBlock(cid: CID, pool: GatewayPool): Promise<Uint8Array<ArrayBuffer>> {
  const waiting = [...pool.urls]
  if (waiting.length === 0) throw failureToError('absent', cid)
  const abort = new AbortController()
  const failures: Failure[] = []
  let running = 0
  return new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(hedge)
      clearTimeout(deadline)
      abort.abort()
      settle()
    }
    const start = (url: string) => {
      running++
      askGateway(url, cid, pool, abort.signal).then(
        (bytes) => {
          pool.urls = [url, ...pool.urls.filter((other) => other !== url)]
          finish(() => resolve(bytes))
        },
        (error: unknown) => {
          running--
          failures.push(error instanceof GatewayFailure ? error.failure : 'broken')
          const next = waiting.shift()
          if (next !== undefined) start(next)
          else if (running === 0) finish(() => reject(failureToError(worst(failures), cid)))
        },
      )
    }
    const hedge = setTimeout(() => {
      for (const url of waiting.splice(0)) start(url)
    }, HEDGE_MS)
    const deadline = setTimeout(() => finish(() => reject(failureToError('late', cid))), DEADLINE_MS)
    const first = waiting.shift()
    if (first !== undefined) start(first)
  })
}

async function askGateway(
  url: string,
  cid: CID,
  pool: GatewayPool,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await pool.fetch(`${url}/ipfs/${cid}?format=raw`, {
    headers: { Accept: 'application/vnd.ipld.raw' },
    // A redirect would lead where the operator did not point.
    redirect: 'manual',
    signal,
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    if (response.status === 404 || response.status === 410) throw new GatewayFailure('absent', `${url} has no ${cid}`)
    throw new GatewayFailure(response.status === 504 ? 'late' : 'broken', `${url} answered ${response.status}`)
  }
  const bytes = await readBlock(response)
  if (bytes && verifyBlock(cid, bytes)) return bytes
  pool.urls = pool.urls.filter((other) => other !== url)
  console.warn('gateway_sent_wrong_bytes', url, String(cid))
  throw new GatewayFailure('broken', `${url} sent other bytes than ${cid}`)
}

/** The body, or `undefined` as soon as it is longer than a block may be. */
async function readBlock(response: Response): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.byteLength
    if (length > MAX_BLOCK_BYTES) return undefined
    parts.push(part)
  }
  return concatBytes(parts)
}

function worst(failures: Failure[]): Failure {
  if (failures.includes('late')) return 'late'
  return failures.includes('broken') ? 'broken' : 'absent'
}

function failureToError(failure: Failure, cid: CID): AppError {
  const name = canonicalCid(cid)
  switch (failure) {
    case 'absent':
      return new AppError(404, 'block_not_found', `The block ${name} is not stored here, and no gateway has it.`)
    case 'late':
      return new AppError(504, 'gateway_timeout', `No gateway sent the block ${name} in time. Try again later.`, {
        headers: { 'Retry-After': '30' },
      })
    case 'broken':
      return new AppError(502, 'bad_gateway', `No gateway sent a valid block ${name}. Try again later.`, {
        headers: { 'Retry-After': '30' },
      })
  }
}
