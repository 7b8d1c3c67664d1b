import { readdirSync, readFileSync } from 'node:fs'

// npm run export:tables: the tables that a copy of the database needs, as arguments of `wrangler d1 export`.

const MIGRATIONS = new URL('../d1-migrations/', import.meta.url)
/** What these migrations make, they make of other tables. */
const DERIVED = ['0032_library_lists.sql', '0051_library_pages.sql']

const names = readdirSync(MIGRATIONS)
  .filter((file) => file.endsWith('.sql') && !DERIVED.includes(file))
  .flatMap((file) => [...readFileSync(new URL(file, MIGRATIONS), 'utf8').matchAll(/^CREATE TABLE (\w+)/gm)])
  .map(([, name]) => `--table ${name}`)
process.stdout.write(`${[...new Set(names)].join(' ')}\n`)
