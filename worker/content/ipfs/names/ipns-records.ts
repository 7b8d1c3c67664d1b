import type { CID } from 'multiformats/cid'
import { MemoryCache } from '../../../platform/flow/memory-cache.ts'
import { logOnceAMinute } from '../../../platform/records/log-once-a-minute.ts'
import { IPNS_RECORD_PREFIX } from '../blocks/block-key.ts'
import { fetchIpnsRecord, type IpnsRecord, readIpnsRecord } from './fetch-ipns-record.ts'

/** The least and the most seconds that an isolate uses a cached record. */
const MIN_SECONDS = 10
const MAX_SECONDS = 300

const recent = new MemoryCache<{ record: IpnsRecord; until: number }>(16 << 10)

export interface RecordSource {
  bucket: R2Bucket
  /** Whether this many bytes may be stored in R2. */
  admit: (bytes: number) => Promise<boolean>
  routers: readonly string[]
  /** Milliseconds since 1970. */
  now: number
}

/**
 * The newest valid record of a name: what a router says, unless a newer one was seen before, for a record must
 * never be rolled back; or what was seen before, as long as it is valid and no router can be asked.
 * @throws {AppError} 502, 504.
 */
export async function findIpnsRecord(key: CID, name: string, source: RecordSource) {
  const { bucket, routers, now } = source
  const known = recent.get(name)
  if (known && now < known.until) return known.record
  const [fetched, stored] = await Promise.allSettled([
    fetchIpnsRecord(key, name, routers),
    readStored(bucket, key, name, now),
  ])
  const before = stored.status === 'fulfilled' ? stored.value : undefined
  if (fetched.status === 'rejected') {
    if (!before) throw fetched.reason
    remember(name, before, now, MIN_SECONDS)
    return before
  }
  const record = before && !isNewer(fetched.value, before) ? before : fetched.value
  if (record !== before) await keep(source, name, record, before !== undefined)
  remember(name, record, now, Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, record.ttl)))
  return record
}

function remember(name: string, record: IpnsRecord, now: number, seconds: number): void {
  recent.set(name, { record, until: Math.min(record.validUntil, now + seconds * 1000) }, record.bytes.length + 512)
}

async function keep({ bucket, admit }: RecordSource, name: string, record: IpnsRecord, known: boolean): Promise<void> {
  try {
    // A record that replaces another needs no more space, and must always be stored so that the older one is not used again.
    if (!known && !(await admit(record.bytes.length))) return
    await bucket.put(IPNS_RECORD_PREFIX + name, record.bytes)
  } catch (error) {
    // The record is good; only the memory of how new it is was lost.
    logOnceAMinute('error', 'ipns_record_not_kept', name, error)
  }
}

/** Whether `a` goes before `b`: the higher sequence, then the later end (IPNS specification, "Record Selection"). */
function isNewer(a: IpnsRecord, b: IpnsRecord): boolean {
  return a.sequence === b.sequence ? a.validUntil > b.validUntil : a.sequence > b.sequence
}

async function readStored(bucket: R2Bucket, key: CID, name: string, now: number): Promise<IpnsRecord | undefined> {
  const object = await bucket.get(IPNS_RECORD_PREFIX + name)
  if (!object) return undefined
  // An expired record fails its check, and is treated as missing.
  const record = await readIpnsRecord(key, new Uint8Array(await object.arrayBuffer())).catch(() => undefined)
  return record && record.validUntil > now ? record : undefined
}
