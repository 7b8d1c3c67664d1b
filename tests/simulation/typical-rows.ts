import type { MemoryD1 } from '../kit/in-process/memory-d1.ts'

/** What a column of this name has in a typical row, as SQL of the row's number `n`; the first that matches counts. */
const VALUES: readonly [name: RegExp, sql: string][] = [
  [/^(id|item_id|part_of|directory_of|linked_from|folder_id|parent_id|site_id|shown)$/, `printf('%024x', n)`],
  [/(^|_)(jti|user_id|account|actor|session_id|withdrawal_id|webhook_id|request_id|subject_id)$/, `printf('%036x', n)`],
  [/(txid|hash|digest|replaces|sha256|secret)$/, `printf('%064x', n)`],
  [/^txids$/, `printf('%064x', n)`],
  [/^bundle$/, `printf('writer/Bitcoin/%024x', n)`],
  [/blockchain|target/, `'Bitcoin'`],
  [/script/, `printf('0014%040x', n)`],
  [/^address$|email|recipient|mailbox/, `printf('somebody.%d@mail.example', n)`],
  [/host$/, `printf('www.%d.somebody.example', n)`],
  [/amount|balance|value|fee|rate|loss/, `'1234567890'`],
  [/^(data|body|headers|answer|response)$/, `hex(zeroblob(150)) || n`],
  [/password/, `hex(zeroblob(50))`],
  [/reason|message|statement|text|place$/, `printf('something that somebody said of it %020d', n)`],
  [/name|mimetype|subject|act$|client|network|list|key|cause|type|path|locale/, `printf('a name or kind %09d', n)`],
]

/** Columns of a table that stay empty in a typical row. */
const EMPTY =
  /upload_kind|removed|part_of|directory_of|linked_from|refusal|merging|replaces|spent_height|replan|off_at|packed|heights|index_of|index_txid|content_/

/** Inserts `count` rows into a table, each column filled by its name as the service fills it. */
function insertTypical(d1: MemoryD1, table: string, count: number): void {
  const [made] = d1.rows(`SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?`, table)
  const columns = d1.rows(`SELECT name, type, "notnull", pk FROM pragma_table_info('${table}')`)
  const values = columns.map(({ name, type, notnull, pk }) => {
    const column = String(name)
    const allowed = new RegExp(`\\b${column} IN \\(('[^']*'|\\d+)`).exec(String(made?.sql))?.[1]
    if (allowed !== undefined) return allowed
    if (notnull === 0 && pk === 0 && EMPTY.test(column)) return 'NULL'
    if (type === 'INTEGER')
      return pk !== 0 || column === 'seq' ? 'n' : /_at$|^at$|until/.test(column) ? '1767225600000 + n' : '1'
    return VALUES.find(([pattern]) => pattern.test(column))?.[1] ?? `printf('%d', n)`
  })
  d1.rows(
    `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${count})
     INSERT INTO ${table} (${columns.map(({ name }) => `"${name}"`).join()}) SELECT ${values.join()} FROM number`,
  )
}

/** Bytes that each row of a table takes, with its indexes and what triggers keep beside it: `count` typical ones are put into an empty database. */
export function bytesOfRow(d1: MemoryD1, table: string, count = 2_000): number {
  const used = () => Number(d1.rows('SELECT SUM(pgsize) AS bytes FROM dbstat')[0]?.bytes)
  d1.rows('PRAGMA foreign_keys = OFF')
  const before = used()
  insertTypical(d1, table, count)
  return (used() - before) / count
}
