import type { ItemQuery } from '../../../../contract/item.ts'

const isWebsite = "(i.directory_of IS NOT NULL OR i.mimetype LIKE 'text/html%')"
const isText = "(i.mimetype LIKE 'text/%' OR i.mimetype LIKE 'application/json%')"
const KINDS: Readonly<Record<NonNullable<ItemQuery['kind']>, string>> = {
  picture: "i.mimetype LIKE 'image/%'",
  film: "i.mimetype LIKE 'video/%'",
  sound: "i.mimetype LIKE 'audio/%'",
  text: `${isText} AND NOT ${isWebsite}`,
  website: isWebsite,
  other: `NOT ${isWebsite} AND NOT ${isText} AND substr(i.mimetype, 1, 6) NOT IN ('image/', 'video/', 'audio/')`,
}

/** That an item is stored there and of this kind, as SQL over `items i`: of the values that the schema of a query accepts. */
export function ofType({ blockchain, kind }: Pick<ItemQuery, 'blockchain' | 'kind'>): string {
  const where = blockchain === undefined ? '' : `AND i.blockchain = '${blockchain}'`
  return kind === undefined ? where : `${where} AND ${KINDS[kind]}`
}
