import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { showUsageIfAsked } from '../show-usage.ts'
import { readSchema } from './schema.ts'

const USAGE = `Usage: npm run restore:file -- <export.sql> <restore.sql>
Makes of an export of the database (npm run export:tables names its tables) a file that fills a new database whose migrations
are applied: npx wrangler d1 execute <database> --remote --file=<restore.sql>`

/**
 * The SQL around an export. While its rows are inserted there are no triggers: they would count again what the rows count
 * already. Rows that a new database has are deleted first, because the export has them too. The search index is made anew.
 */
function aroundExport(): { before: string; behind: string } {
  const { filled, triggers } = readSchema()
  const before = [
    ...triggers.map(({ name }) => `DROP TRIGGER ${name};`),
    ...filled.map((table) => `DELETE FROM ${table};`),
    '',
  ]
  const behind = [
    '',
    'INSERT INTO item_numbers (item_id) SELECT id FROM items WHERE removed_at IS NULL AND part_of IS NULL ORDER BY created_at, id;',
    'INSERT INTO item_words (rowid, words) SELECT n, words FROM item_numbers JOIN wanted_words USING (item_id);',
    ...triggers.map(({ sql }) => `${sql};`),
    '',
  ]
  return { before: before.join('\n'), behind: behind.join('\n') }
}

showUsageIfAsked(USAGE)
const [source, target, ...others] = parseArgs({ allowPositionals: true }).positionals
if (source === undefined || target === undefined || others.length > 0) {
  console.error(USAGE)
  process.exit(2)
}
const { before, behind } = aroundExport()
await pipeline(
  Readable.from(
    (async function* () {
      yield before
      yield* createReadStream(source)
      yield behind
    })(),
  ),
  createWriteStream(target, { flags: 'wx' }),
)
console.log(`${target} is written. It fills a new database whose migrations are applied.`)
