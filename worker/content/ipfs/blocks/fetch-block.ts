import type { CID } from 'multiformats/cid'
import { canonicalCid } from '../../../../protocol/cid.ts'
import { AllAttemptsFailed, hedgedRequest } from '../../../platform/flow/hedged-request.ts'
import { readCapped } from '../../../platform/flow/read-capped.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { logOnceAMinute } from '../../../platform/records/log-once-a-minute.ts'
import { MAX_BLOCK_BYTES, verifyBlock } from './verify-block.ts'

/** Milliseconds without an answer of the first gateway after which all others are requested too. */
const HEDGE_MS = 400
/** Time limit for one block, in milliseconds. */
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
 * One verified block from the gateways (Trustless Gateway specification, block responses). The gateway that answered last
 * time is requested first; if it fails, or after `HEDGE_MS`, all others are. A gateway whose bytes do not match is not used
 * again in this request.
 * @throws {AppError} 404 if every gateway says that it has no such block, 504 if none answered in time, 502 otherwise.
 */
export async function fetchBlock(cid: CID, pool: GatewayPool): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const asking = { hedgeMs: HEDGE_MS, hedgeWidth: pool.urls.length, deadlineMs: DEADLINE_MS }
    const attempt = async (url: string, signal: AbortSignal) => ({
      url,
      bytes: await askGateway(url, cid, pool, signal),
    })
    const { url, bytes } = await hedgedRequest(pool.urls, attempt, asking)
    pool.urls = [url, ...pool.urls.filter((other) => other !== url)]
    return bytes
  } catch (error) {
    if (!(error instanceof AllAttemptsFailed)) throw error
    const failures = error.failures.map((one) => (one instanceof GatewayFailure ? one.failure : 'broken'))
    throw failureToError(error.late ? 'late' : worst(failures), cid)
  }
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
  const bytes = await readCapped(response, MAX_BLOCK_BYTES, () => notTheBlock(url, cid, pool))
  if (await verifyBlock(cid, bytes)) return bytes
  throw notTheBlock(url, cid, pool)
}

/** A gateway that sent something else is not asked again. */
function notTheBlock(url: string, cid: CID, pool: GatewayPool): GatewayFailure {
  pool.urls = pool.urls.filter((other) => other !== url)
  logOnceAMinute('warn', 'gateway_sent_wrong_bytes', url, String(cid))
  return new GatewayFailure('broken', `${url} sent other bytes than ${cid}`)
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
