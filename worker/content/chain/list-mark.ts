/** R2: what the content of a list is as a website, by the name of the list: the CID of its root, or '' for other content. */
export const SITE_PREFIX = 'chain/sites/'
/** R2: whether the parts of an index hold what it says, by the name of the list of the index alone. */
export const INDEX_PREFIX = 'chain/indexes/'
/** R2: that content is not in the parts that its beginning says, by the name of the list. */
export const PARTS_PREFIX = 'chain/parts/'
/** R2: verified content that others wrote, by chain and name. */
export const NAMED_PREFIX = 'chain/named/'
/** R2: proven transactions of doginals, by chain and the first one's txid; they stay, since finding them reads many blocks. */
export const DOGINALS_PREFIX = 'chain/doginals/'

/** The result for a list after all of its content was read. */
interface ListMark {
  prefix: typeof SITE_PREFIX | typeof INDEX_PREFIX | typeof PARTS_PREFIX
  /** The name of the list. */
  list: string
}

/** The stored mark of a list; `undefined` if the content was not checked yet, or the mark expired. */
export async function readListMark(bucket: R2Bucket, { prefix, list }: ListMark): Promise<string | undefined> {
  const { list: named, found } = (await bucket.head(prefix + list))?.customMetadata ?? {}
  return named === list ? found : undefined
}

export async function putListMark(bucket: R2Bucket, { prefix, list }: ListMark, found: string): Promise<void> {
  await bucket.put(prefix + list, '', { customMetadata: { list, found } })
}
