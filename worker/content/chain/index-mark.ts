/** R2: whether the parts of an index hold what it says, by the name of the list of the index alone. */
export const INDEX_PREFIX = 'chain/indexes/'

/** What was found of an index, once all of its parts were read. */
export type IndexMark = 'holds' | 'wrong'

/** @returns nothing where the parts were not looked at, or what was found is past its age. */
export async function readIndexMark(bucket: R2Bucket, name: string): Promise<IndexMark | undefined> {
  const { list, found } = (await bucket.head(INDEX_PREFIX + name))?.customMetadata ?? {}
  return list === name && (found === 'holds' || found === 'wrong') ? found : undefined
}

export async function putIndexMark(bucket: R2Bucket, name: string, found: IndexMark): Promise<void> {
  await bucket.put(INDEX_PREFIX + name, '', { customMetadata: { list: name, found } })
}
