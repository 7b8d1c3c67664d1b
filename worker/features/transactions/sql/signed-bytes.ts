import { concatBytes, toHex } from '../../../../protocol/bytes.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { objectId } from '../../../../protocol/object-id.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'

/** R2: signed transactions, several in one object, from before they are sent until no reorganisation reaches them. */
const PREFIX = 'writer/'

/** What the R2 keys of a chain's signed transactions begin with. */
export function signedPrefix(blockchain: Blockchain): string {
  return `${PREFIX}${blockchain}/`
}

/**
 * Stores signed transactions and says where each lies: under a name never used before, so that a sweep of what an
 * earlier try left behind can't meet it.
 */
export async function putSigned<T extends { bytes: Uint8Array }>(
  bucket: R2Bucket,
  blockchain: Blockchain,
  signed: readonly T[],
  now: number,
): Promise<{ bundle: string; kept: (T & { offset: number })[] }> {
  const bundle = signedPrefix(blockchain) + objectId(now)
  let length = 0
  const kept = signed.map((one) => {
    const offset = length
    length += one.bytes.length
    return { ...one, offset }
  })
  await bucket.put(bundle, concatBytes(signed.map(({ bytes }) => bytes)))
  return { bundle, kept }
}

/** Where a signed transaction lies. */
export interface SignedPlace {
  bundle: string
  offset: number
  length: number
}

/** Hex of signed transactions, each object read once; `undefined` for one that is not there any more. */
export async function getSigned(bucket: R2Bucket, places: readonly SignedPlace[]): Promise<(string | undefined)[]> {
  const bundles = new Map<string, Uint8Array | undefined>()
  for (const { bundle } of places) {
    if (bundles.has(bundle)) continue
    const object = bundle === '' ? null : await bucket.get(bundle)
    bundles.set(bundle, object ? new Uint8Array(await object.arrayBuffer()) : undefined)
  }
  return places.map(({ bundle, offset, length }) => {
    const bytes = bundles.get(bundle)?.subarray(offset, offset + length)
    return bytes?.length === length ? toHex(bytes) : undefined
  })
}

/** The statement that notes that signed bytes are in the bucket, with the transactions that refer to them. */
export function insertBundleStatement(db: D1Database, blockchain: Blockchain, bundle: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO signed_bundles (blockchain, height, bundle)
       VALUES (?1, IFNULL((SELECT MAX(height) FROM blocks WHERE blockchain = ?1), 0), ?2)`,
    )
    .bind(blockchain, bundle)
}

/**
 * R2 keys of signed bytes that were recorded at or below `height`, and of which every transaction is in a block there
 * or is dead.
 */
export async function selectFinalBundles(
  db: D1Database,
  blockchain: Blockchain,
  height: number,
  limit: number,
): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT bundle FROM signed_bundles WHERE blockchain = ?1 AND height <= ?2 AND NOT EXISTS (
         SELECT 1 FROM transactions WHERE blockchain = ?1 AND bundle = signed_bundles.bundle
           AND (state IN ('signed', 'sent') OR block_height > ?2))
       LIMIT ?3`,
    )
    .bind(blockchain, height, limit)
    .all<{ bundle: string }>()
  return results.map(({ bundle }) => bundle)
}

/** The statement that notes that signed bytes, recorded at or below `height`, are deleted. */
export function forgetBundlesStatement(
  db: D1Database,
  blockchain: Blockchain,
  height: number,
  bundles: readonly string[],
): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM signed_bundles
       WHERE blockchain = ? AND height <= ? AND bundle IN (SELECT value FROM json_each(?))`,
    )
    .bind(blockchain, height, JSON.stringify(bundles))
}

/**
 * Those of the R2 keys that no transaction refers to. They may be deleted: {@link assertNotSweptStatement} prevents
 * later references to them. If their deletion was interrupted, the same keys are returned again.
 */
export async function insertSweptBundles(
  db: D1Database,
  blockchain: Blockchain,
  bundles: readonly string[],
): Promise<string[]> {
  const keys = JSON.stringify(bundles)
  const [, swept] = await db.batch<{ bundle: string }>([
    db
      .prepare(
        `INSERT INTO swept_bundles (bundle) SELECT value FROM json_each(?1)
         WHERE NOT EXISTS (SELECT 1 FROM transactions WHERE blockchain = ?2 AND bundle = value)
         ON CONFLICT DO NOTHING`,
      )
      .bind(keys, blockchain),
    db.prepare('SELECT bundle FROM swept_bundles WHERE bundle IN (SELECT value FROM json_each(?))').bind(keys),
  ])
  return swept?.results.map(({ bundle }) => bundle) ?? []
}

/** The statement that fails the batch that records transactions when their bytes were swept before it. */
export function assertNotSweptStatement(db: D1Database, bundle: string): D1PreparedStatement {
  return assertionStatement(db, 'NOT EXISTS (SELECT 1 FROM swept_bundles WHERE bundle = ?)', bundle)
}
