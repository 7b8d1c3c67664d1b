import { createHash } from 'node:crypto'
import type { Blockchain } from '../../../protocol/chains.ts'
import { type ContentName, txidsOf, writeContentName } from '../../../protocol/inscriptions/content-name.ts'
import type { NamedContent } from '../../../reader/inscriptions/type-of-content.ts'
import type { Env } from '../../platform/bindings.ts'
import { now } from '../../platform/clock.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import { admitToCache } from '../cache/admit-to-cache.ts'
import { NAMED_PREFIX } from '../chain/list-mark.ts'

/** The name of content in caches: `<chain>/<64 hex digits>`, which no list of txids has. */
export function recordNameOf(blockchain: Blockchain, name: ContentName, isOwn = false): string {
  const text = `name on ${blockchain}\n${writeContentName(name)}${isOwn ? '\nwithout its delegate' : ''}`
  const hash = createHash('sha256').update(text)
  return `${blockchain}/${hash.digest('hex')}`
}

/** What was kept under a name; damaged content is deleted and not found. */
export async function getNamed(bucket: R2Bucket, record: string, name: ContentName): Promise<NamedContent | undefined> {
  const object = await bucket.get(NAMED_PREFIX + record)
  if (!object) return undefined
  const { customMetadata = {}, checksums } = object
  const body = new Uint8Array(await object.arrayBuffer())
  const actual = await crypto.subtle.digest('SHA-256', body)
  const isWhole = checksums.sha256 && crypto.subtle.timingSafeEqual(checksums.sha256, actual)
  const { type, typeFrom, evidence, encoding, delegate } = customMetadata
  const isKnown =
    type && (typeFrom === 'chain' || typeFrom === 'bytes') && (evidence === 'txid' || evidence === 'commitment')
  if (isWhole && isKnown && customMetadata.record === record) {
    const txids = [...txidsOf(name), ...(delegate ? delegate.split('+') : [])]
    return { body, type, typeFrom, evidence, encoding: encoding || undefined, txids }
  }
  logOnceAMinute('error', 'record_damaged', record)
  await bucket.delete(NAMED_PREFIX + record)
  return undefined
}

/** Keeps content, where the cache admits so much in this hour. A failure is logged. */
export async function putNamed(env: Env, record: string, name: ContentName, content: NamedContent): Promise<void> {
  const { body, type, typeFrom, evidence, encoding = '', txids } = content
  try {
    const delegate = txids.slice(txidsOf(name).length).join('+')
    // Longer than any coding that is decoded, and more than ten txids; all metadata of an object must be within 2 KiB.
    if (encoding.length > 100 || delegate.length > 650 || !(await admitToCache(env, 'chain', body.length, now())))
      return
    await env.BUCKET.put(NAMED_PREFIX + record, body, {
      sha256: await crypto.subtle.digest('SHA-256', body),
      customMetadata: { record, type, typeFrom, evidence, encoding, delegate },
    })
  } catch (error) {
    logOnceAMinute('error', 'content_not_kept', record, error)
  }
}
