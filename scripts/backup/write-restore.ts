import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { showUsageIfAsked } from '../show-usage.ts'
import { FILL_SEARCH_INDEX, newDatabase, readSchema, type Schema } from './schema.ts'
import { MAX_STATEMENT_BYTES, splitStatement } from './split-statement.ts'

const USAGE = `Usage: npm run restore:file -- <export.sql> <restore.sql>
Makes of an export of the database (npm run export:tables names its tables) a file that fills a new database whose migrations
are applied: npm run d1 -- execute DB --remote --file=<restore.sql>`

/** Bytes of a statement of an export: a row has 2 MB at most, and a quote is doubled. */
const MAX_EXPORTED_BYTES = 16 * 2 ** 20

/**
 * The SQL around an export. While its rows are inserted there are no triggers: they would count again what the rows count
 * already. Rows that a new database has are deleted first, because the export has them too. The search index is made anew.
 */
function aroundExport({ filled, triggers }: Schema): { before: string; behind: string } {
  const before = [
    ...triggers.map(({ name }) => `DROP TRIGGER ${name};`),
    ...filled.map((table) => `DELETE FROM ${table};`),
    '',
  ]
  const behind = ['', ...FILL_SEARCH_INDEX, ...triggers.map(({ sql }) => `${sql};`), '']
  return { before: before.join('\n'), behind: behind.join('\n') }
}

/** The lines of a file, each with its line feed. A carriage return is a part of the line. */
async function* linesOf(source: string): AsyncGenerator<string> {
  let rest = ''
  for await (const part of createReadStream(source, 'utf8')) {
    const lines = `${rest}${String(part)}`.split(/(?<=\n)/)
    rest = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '')
    yield* lines
  }
  if (rest !== '') yield rest
}

/** The statements of an export, which may have line breaks in their values. */
async function* statementsOf(source: string): AsyncGenerator<string> {
  let statement = ''
  let quotes = 0
  for await (const line of linesOf(source)) {
    statement += line
    quotes += line.split("'").length - 1
    if (quotes % 2 === 0 && line.trimEnd().endsWith(';')) {
      yield statement
      statement = ''
      quotes = 0
    } else if (statement.length > MAX_EXPORTED_BYTES) {
      throw new Error(`A statement of ${source} does not end: ${statement.slice(0, 60)}…`)
    }
  }
  if (statement.trim() !== '') throw new Error(`${source} ends within a statement: ${statement.slice(0, 60)}…`)
}

/** The export, in statements that D1 accepts. */
async function* restorable(source: string, { filled, triggers }: Schema): AsyncGenerator<string> {
  const db = newDatabase()
  db.exec('PRAGMA foreign_keys = OFF')
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  for (const table of filled) db.exec(`DELETE FROM ${table}`)
  for await (const statement of statementsOf(source)) {
    if (Buffer.byteLength(statement) <= MAX_STATEMENT_BYTES) yield statement
    else yield `${splitStatement(db, statement).join('\n')}\n`
  }
}

showUsageIfAsked(USAGE)
const [source, target, ...others] = parseArgs({ allowPositionals: true }).positionals
if (source === undefined || target === undefined || others.length > 0) {
  console.error(USAGE)
  process.exit(2)
}
const schema = readSchema()
const { before, behind } = aroundExport(schema)
await pipeline(
  Readable.from(
    (async function* () {
      yield before
      yield* restorable(source, schema)
      yield behind
    })(),
  ),
  createWriteStream(target, { flags: 'wx' }),
)
console.log(`${target} is written. It fills a new database whose migrations are applied.`)
