import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type CopiedTable, copyOrder, OF_THE_MOMENT } from './copy-order.ts'
import { type Cell, type Moment, type Page, type ReadRows, readMoment, readPage } from './copy-tables.ts'
import { CopyError, openPartFolder, type PartFolder, type Sealing } from './part-folder.ts'
import { newDatabase, readSchema } from './schema.ts'

/** What is known of a copy without its key, in the file `copy.json`. */
export interface CopyState {
  format: 1
  /** Of the database, milliseconds. */
  startedAt: number
  finishedAt?: number
  /** Behind the names of its parts. */
  suffix: Sealing['suffix']
  highest: Moment['highest']
  /** How many pages of each table were written, and where the next one begins. */
  tables: Record<string, { pages: number; next?: Page['next']; done: boolean }>
}

const STATE = 'copy.json'
/**
 * Longer a copy is not gone on with: signed transactions and stored bytes, which are copied at its end, are kept for 7 days.
 */
const MOST_MS = 24 * 3_600_000

/** What a copy is taken with. */
export interface CopySource {
  read: ReadRows
  sealing: Sealing
  /** Told of each table that is whole. */
  onTable?: (name: string, rows: number) => void
}

/**
 * Copies the rows of a database that goes on being used into `folder`, or goes on with a copy there that was interrupted. Each row is
 * as it was at some moment since the copy began; the ledger, and which rows there are, are of the beginning.
 * @throws {CopyError} where there is a copy that can't be gone on with
 */
export async function copyTables(folder: string, source: CopySource): Promise<CopyState> {
  const db = newDatabase()
  const tables = copyOrder(db, readSchema().tables)
  const parts = await openPartFolder(folder)
  const state = (await readState(folder)) ?? (await begin(folder, parts, tables, source))
  if (state.finishedAt !== undefined) throw new CopyError(`${folder} has a copy already.`)
  if (state.suffix !== source.sealing.suffix)
    throw new CopyError(`${folder} was begun ${state.suffix ? 'with' : 'without'} a recipient.`)
  for (const table of tables) await copyTable(folder, parts, table, state, source)
  return state
}

/** The copy in a folder is whole, with what else belongs to it. */
export async function finishCopy(folder: string, state: CopyState, now: number): Promise<void> {
  await writeState(folder, { ...state, finishedAt: now })
}

async function begin(
  folder: string,
  parts: PartFolder,
  tables: readonly CopiedTable[],
  { read, sealing }: CopySource,
): Promise<CopyState> {
  const moment = await readMoment(read, tables)
  const state: CopyState = {
    format: 1,
    startedAt: moment.at,
    suffix: sealing.suffix,
    highest: moment.highest,
    tables: {},
  }
  for (const table of tables.filter(({ name }) => OF_THE_MOMENT.includes(name))) {
    await parts.write(partName(table.name, 1, sealing.suffix), asText(table, moment.rows[table.name] ?? []), sealing)
    state.tables[table.name] = { pages: 1, done: true }
  }
  await writeState(folder, state)
  return state
}

async function copyTable(
  folder: string,
  parts: PartFolder,
  table: CopiedTable,
  state: CopyState,
  { read, sealing, onTable }: CopySource,
): Promise<void> {
  const known = state.tables[table.name] ?? { pages: 0, done: false }
  let rows = 0
  while (!known.done) {
    const page = await readPage(read, table, state, known.next)
    rows += page.rows.length
    if (page.rows.length > 0) {
      known.pages++
      await parts.write(partName(table.name, known.pages, sealing.suffix), asText(table, page.rows), sealing)
    }
    known.next = page.next
    known.done = page.next === undefined
    state.tables[table.name] = known
    await writeState(folder, state)
    if (known.done) onTable?.(table.name, rows)
  }
}

/** The name of the file of a page. */
export function partName(table: string, page: number, suffix: Sealing['suffix']): string {
  return `${table}.${String(page).padStart(6, '0')}.jsonl${suffix}`
}

/** The names of the columns, and then the rows, each as JSON in a line of its own. */
function asText({ columns }: CopiedTable, rows: readonly Cell[][]): Readable {
  const lines = [columns.map(({ name }) => name), ...rows].map((row) => `${JSON.stringify(row)}\n`)
  return Readable.from([Buffer.from(lines.join(''))])
}

export async function readState(folder: string): Promise<CopyState | undefined> {
  const text = await readFile(join(folder, STATE), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : JSON.parse(text)
}

async function writeState(folder: string, state: CopyState): Promise<void> {
  await writeFile(join(folder, `${STATE}.part`), `${JSON.stringify(state)}\n`, { mode: 0o600 })
  await rename(join(folder, `${STATE}.part`), join(folder, STATE))
}

/** Whether a copy that was interrupted is too old to be gone on with. */
export function isTooOld({ startedAt }: CopyState, now: number): boolean {
  return now - startedAt > MOST_MS
}
