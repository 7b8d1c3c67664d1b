import { readSchema } from './schema.ts'

// npm run export:tables: the tables that a copy of the database needs, as arguments of `wrangler d1 export`.

process.stdout.write(
  `${readSchema()
    .tables.map((table) => `--table ${table}`)
    .join(' ')}\n`,
)
