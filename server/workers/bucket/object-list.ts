import { BucketError } from './bucket-error.ts'
import type { RequestOf } from './bucket-request.ts'
import { type ObjectJson, type ObjectRow, objectJson } from './object-json.ts'

const MOST_KEYS = 1000
/** The most keys of a page with metadata. */
const MOST_DESCRIBED = 100

/** A page of a list, in the form that the runtime's R2 binding reads. */
export interface ObjectPage {
  objects: ObjectJson[]
  truncated: boolean
  cursor?: string
  delimitedPrefixes: string[]
}

/** Keys in the order of their UTF-8 bytes, from the prefix on: what is left of it is not read. @throws {BucketError} */
export function listObjects(sql: SqlStorage, asked: Omit<RequestOf<'list'>, 'method'>): ObjectPage {
  const { prefix = '', limit: wanted = MOST_KEYS, include = [], delimiter = '', startAfter = '' } = asked
  if (wanted < 1 || wanted > MOST_KEYS) throw new BucketError('invalidLimit')
  const limit = include.length > 0 ? Math.min(wanted, MOST_DESCRIBED) : wanted
  const cursor = asked.cursor === undefined ? '' : Buffer.from(asked.cursor, 'base64').toString()
  const after = Buffer.compare(Buffer.from(cursor), Buffer.from(startAfter)) > 0 ? cursor : startAfter
  const page: ObjectPage = { objects: [], truncated: false, delimitedPrefixes: [] }
  let [entries, last] = [0, '']
  for (const row of sql.exec<ObjectRow>(
    `SELECT key, version, size, etag, uploaded, checksums, ${include.includes(0) ? 'http_metadata' : "'{}' AS http_metadata"},
     ${include.includes(1) ? 'custom_metadata' : "'{}' AS custom_metadata"}
     FROM objects WHERE key >= ? AND key > ? ORDER BY key`,
    prefix,
    after,
  )) {
    if (!row.key.startsWith(prefix)) break
    const cut = delimiter === '' ? -1 : row.key.indexOf(delimiter, prefix.length)
    const folder = cut === -1 ? undefined : row.key.slice(0, cut + delimiter.length)
    const isNew = folder === undefined || page.delimitedPrefixes.at(-1) !== folder
    if (isNew && entries === limit) {
      page.truncated = true
      page.cursor = Buffer.from(last).toString('base64')
      break
    }
    if (folder === undefined) page.objects.push(objectJson(row))
    else if (isNew) page.delimitedPrefixes.push(folder)
    if (isNew) entries++
    last = row.key
  }
  return page
}
