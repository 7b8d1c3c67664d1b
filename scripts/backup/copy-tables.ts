import { type CopiedTable, OF_THE_MOMENT } from './copy-order.ts'
import { literal } from './split-statement.ts'

/** A value of D1 as JSON has it; bytes are read as hex digits. */
export type Cell = string | number | null

/** Runs one statement on the database that is copied, and returns its rows. @throws where it can't */
export type ReadRows = (sql: string) => Promise<Cell[][]>

/** The last row that was read: its key. */
type Position = Cell[]

/** The highest rowid of each table that has one, by its name, and the rows of the tables of the moment. */
export interface Moment {
  /** By the clock of the database, milliseconds. */
  at: number
  highest: Record<string, number>
  rows: Record<string, Cell[][]>
}

/** Bytes of values in a page: as JSON, with quotes, brackets and commas, it stays below a megabyte nearly always. */
const MAX_PAGE_BYTES = 700_000
/** Rows of a first page, and of any. */
const FIRST_ROWS = 500
const MOST_ROWS = 10_000

/**
 * Reads what a copy begins with, in one statement and so at one moment: up to where each table is read, and all of those tables that
 * have to fit the ledger.
 */
export async function readMoment(read: ReadRows, tables: readonly CopiedTable[]): Promise<Moment> {
  const growing = tables.filter(({ name, key }) => key[0] === 'rowid' && !OF_THE_MOMENT.includes(name))
  const whole = tables.filter(({ name }) => OF_THE_MOMENT.includes(name))
  const columns = [
    'unixepoch() * 1000',
    ...growing.map(({ name }) => `(SELECT MAX(rowid) FROM "${name}")`),
    ...whole.map(({ name, columns }) => `(SELECT json_group_array(json_array(${columns.map(quoted)})) FROM "${name}")`),
  ]
  const [row] = await read(`SELECT ${columns.join(', ')}`)
  if (row === undefined) throw new Error('The database does not say where its tables end.')
  const [at, ...values] = row
  const rows = whole.map(({ name }, index) => [name, JSON.parse(String(values[growing.length + index]))] as const)
  return {
    at: Number(at),
    highest: Object.fromEntries(growing.map(({ name }, index) => [name, Number(values[index] ?? 0)])),
    rows: Object.fromEntries(rows),
  }
}

/** A page of a table, in the order of its key; `next` is where the one after it begins, and `undefined` at the end. */
export interface Page {
  rows: Cell[][]
  next: { after: Position; limit: number } | undefined
}

/**
 * Reads a page of a table: rows that were there at the moment, as they are now. A page has {@link MAX_PAGE_BYTES} of values at most,
 * or one row.
 */
export async function readPage(
  read: ReadRows,
  table: CopiedTable,
  moment: Pick<Moment, 'highest'>,
  from?: Page['next'],
): Promise<Page> {
  const { key, columns } = table
  const limit = from?.limit ?? FIRST_ROWS
  const found = await read(pageSql(table, moment.highest[table.name], from?.after, limit))
  // Behind the values: the key, how many bytes the rows have up to this one, how many rows were looked at, and the row's place.
  const rows = found.map((row) => row.slice(0, columns.length))
  const last = found.at(-1)
  if (last === undefined) return { rows, next: undefined }
  const [bytes, lookedAt] = last.slice(-3).map(Number)
  if (bytes === undefined || lookedAt === undefined) throw new Error(`A page of ${table.name} has no end.`)
  if (lookedAt < limit && found.length === lookedAt) return { rows, next: undefined }
  const fitting = Math.floor((MAX_PAGE_BYTES / Math.max(1, bytes)) * found.length)
  return {
    rows,
    next: {
      after: last.slice(columns.length, columns.length + key.length),
      limit: Math.max(1, Math.min(MOST_ROWS, fitting)),
    },
  }
}

function pageSql(
  { name, columns, key }: CopiedTable,
  highest: number | undefined,
  after: Position | undefined,
  limit: number,
): string {
  const values = columns.map((column) =>
    column.isBlob
      ? `IIF(${quoted(column)} IS NULL, NULL, hex(${quoted(column)})) AS ${quoted(column)}`
      : quoted(column),
  )
  const keys = key.map((column, index) => `"${column}" AS key_${index}`)
  const length = columns.map(
    (column) => `IFNULL(length(CAST(${quoted(column)} AS BLOB)), 1) * ${column.isBlob ? 2 : 1} + 3`,
  )
  const order = key.map((column) => `"${column}"`)
  const conditions = [
    ...(after ? [`(${order}) > (${after.map((value) => literal(value))})`] : []),
    ...(highest === undefined ? [] : [`rowid <= ${highest}`]),
  ]
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  return `SELECT * FROM (
    SELECT ${[...values, ...keys].join(', ')},
      SUM(${length.join(' + ')}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS bytes_so_far,
      COUNT(*) OVER () AS rows_looked_at, ROW_NUMBER() OVER (ORDER BY ${order}) AS row_at
    FROM (SELECT ${key[0] === 'rowid' ? 'rowid, ' : ''}* FROM "${name}" ${where} ORDER BY ${order} LIMIT ${limit})
    ORDER BY ${order})
  WHERE bytes_so_far <= ${MAX_PAGE_BYTES} OR row_at = 1`
}

function quoted({ name }: { name: string }): string {
  return `"${name}"`
}
