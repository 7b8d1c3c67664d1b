import type { CID } from 'multiformats/cid'
import { canonicalCid, parseCid } from '../../../protocol/cid.ts'
import { SITE_PREFIX } from '../chain/content-record.ts'

/** What was found of a list: the root of its website, or that it is none. */
export interface SiteMark {
  root: CID | undefined
}

/** @returns nothing where the content was not looked at, or what was found is past its age. */
export async function readMark(bucket: R2Bucket, list: string): Promise<SiteMark | undefined> {
  const object = await bucket.head(SITE_PREFIX + list)
  const { list: named, root = '' } = object?.customMetadata ?? {}
  return named === list ? { root: parseCid(root) } : undefined
}

/** Notes what was found, once the blocks of a website are where they are read. */
export async function putMark(bucket: R2Bucket, list: string, { root }: SiteMark): Promise<void> {
  const customMetadata = { list, root: root ? canonicalCid(root) : '' }
  await bucket.put(SITE_PREFIX + list, '', { customMetadata })
}
