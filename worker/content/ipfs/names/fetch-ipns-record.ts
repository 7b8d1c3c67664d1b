import { multihashToIPNSRoutingKey, unmarshalIPNSRecord } from 'ipns'
import { ipnsValidator } from 'ipns/validator'
import type { CID } from 'multiformats/cid'
import { readCapped } from '../../../platform/flow/read-capped.ts'
import { AppError } from '../../../platform/http/errors.ts'

/** A record whose signature was checked against its name. */
export interface IpnsRecord {
  bytes: Uint8Array
  /** A content path. */
  value: string
  sequence: bigint
  /** When it stops being valid, in milliseconds since 1970. */
  validUntil: number
  /** The publisher's lifetime of a cached record, in seconds. */
  ttl: number
}

/** Records are at most this long (IPNS specification), in bytes. */
const MAX_RECORD_BYTES = 10 * 1024
const TIMEOUT_MS = 8_000
/** What publishers of today's software mean when they say nothing. */
const DEFAULT_TTL = 300

/**
 * The first valid record of a name; all routers are requested at once (Delegated Routing V1).
 * @throws {AppError} 502 if none has a valid one, 504 if none answered in time.
 */
export async function fetchIpnsRecord(
  key: CID,
  name: string,
  routers: readonly string[],
  fetcher: typeof fetch = (input, init) => fetch(input, init),
): Promise<IpnsRecord> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const ask = async (router: string): Promise<IpnsRecord> => {
    const response = await fetcher(`${router}/routing/v1/ipns/${name}`, {
      headers: { Accept: 'application/vnd.ipfs.ipns-record' },
      redirect: 'manual',
      signal,
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw new Error(`${router} answered ${response.status}`)
    }
    const tooLong = () => new Error(`${router} sent more than the ${MAX_RECORD_BYTES} bytes that a record may have`)
    return readIpnsRecord(key, await readCapped(response, MAX_RECORD_BYTES, tooLong))
  }
  try {
    return await Promise.any(routers.map(ask))
  } catch (cause) {
    const late = signal.aborted
    const message = `The IPNS name ${name} could not be resolved: no router has a valid record of it.`
    throw new AppError(late ? 504 : 502, late ? 'router_timeout' : 'name_not_resolved', message, {
      headers: { 'Retry-After': '30' },
      cause: cause instanceof AggregateError ? cause.errors : cause,
    })
  }
}

/** Reads and checks a record: signature, name, validity (IPNS specification, "Record Verification"). @throws {Error} */
export async function readIpnsRecord(key: CID, bytes: Uint8Array): Promise<IpnsRecord> {
  // The package uses another version of `multiformats`, so only bytes are exchanged with it.
  const hash =
    key.multihash.code === 0 ? { ...key.multihash, code: 0 as const } : { ...key.multihash, code: 0x12 as const }
  await ipnsValidator(multihashToIPNSRoutingKey(hash), bytes)
  const record = unmarshalIPNSRecord(bytes)
  const validUntil = Date.parse(record.validity)
  if (Number.isNaN(validUntil)) throw new Error('The record does not say how long it is valid')
  const ttl = record.ttl === undefined ? DEFAULT_TTL : Number(record.ttl / 1_000_000_000n)
  return { bytes, value: record.value, sequence: record.sequence, validUntil, ttl }
}
