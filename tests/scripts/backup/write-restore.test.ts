import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { newDatabase, readSchema } from '../../../scripts/backup/schema.ts'

const folder = mkdtempSync(join(tmpdir(), 'hookline-restore-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Database = ReturnType<typeof newDatabase>

/** A database with what triggers count: nested folders, files in them, one that was removed, a directory, reports. */
function usedDatabase(): Database {
  const db = newDatabase()
  const item = (id: string, more: string, values: string) =>
    db.exec(
      `INSERT INTO items (id, user_id, name, mimetype, blockchain, size, chunk_size, chunks, created_at, updated_at, ${more})
       VALUES ('${id}', 'u', 'name ''of'' ${id}', 'text/plain', 'IPFS', 10, 10, 1, 1, 1, ${values})`,
    )
  db.exec(
    `INSERT INTO users (id, email, status, password_hash, first_name, last_name, created_at) VALUES ('u', 'a@example.org', 1, 'x', '', '', 1);
     INSERT INTO folders (id, user_id, parent_id, name, blockchain, created_at) VALUES ('f', 'u', NULL, 'f', 'IPFS', 1), ('g', 'u', 'f', 'g', 'IPFS', 1)`,
  )
  item('a', 'folder_id', "'f'")
  item('b', 'folder_id', "'g'")
  item('c', 'folder_id', "'g'")
  item('d', 'status', '200')
  item('e', 'part_of', "'d'")
  db.exec(`UPDATE items SET removed_at = 5 WHERE id = 'c'; UPDATE open_reports SET count = 3`)
  return db
}

/** The rows of a table as `wrangler d1 export --no-schema` writes them. */
function exported(db: Database, table: string): string {
  return db
    .prepare(`SELECT * FROM ${table}`)
    .all()
    .map((row) => {
      const values = Object.values(row).map((value) =>
        typeof value === 'string'
          ? `'${value.replaceAll("'", "''")}'`
          : value instanceof Uint8Array
            ? `X'${Buffer.from(value).toString('hex')}'`
            : String(value ?? 'NULL'),
      )
      return `INSERT INTO "${table}" (${Object.keys(row).map((name) => `"${name}"`)}) VALUES(${values});`
    })
    .join('\n')
}

function writeRestore(source: string, target: string): void {
  const script = new URL('../../../scripts/backup/write-restore.ts', import.meta.url).pathname
  execFileSync(process.execPath, [script, source, target], { stdio: 'pipe' })
}

describe('a restored export of the database', () => {
  it('has the same rows, the same counts and triggers, and finds items by their names', () => {
    const used = usedDatabase()
    const { tables } = readSchema()
    const [source, target] = [join(folder, 'export.sql'), join(folder, 'restore.sql')]
    writeFileSync(
      source,
      `PRAGMA defer_foreign_keys=TRUE;\n${tables.map((table) => exported(used, table)).join('\n')}\n`,
    )
    writeRestore(source, target)
    const restored = newDatabase()
    restored.exec(readFileSync(target, 'utf8'))
    const all = (db: Database, sql: string) => db.prepare(sql).all()
    for (const table of tables) {
      expect(all(restored, `SELECT * FROM ${table}`), table).toEqual(all(used, `SELECT * FROM ${table}`))
    }
    const triggers = `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name`
    expect(all(restored, triggers)).toEqual(all(used, triggers))
    const found = `SELECT item_id FROM item_words JOIN item_numbers ON n = item_words.rowid WHERE item_words MATCH '"75xname"' ORDER BY 1`
    expect(all(restored, found).map(({ item_id }) => item_id)).toEqual(['a', 'b', 'd', 'e'])
    expect(all(restored, found)).toEqual(all(used, found))
  })

  it('has the rows that are too long for one statement of D1, in statements that are not', () => {
    const used = usedDatabase()
    const txids = JSON.stringify(Array.from({ length: 1_876 }, (_, n) => n.toString(16).padStart(64, '0')))
    const text = `'quoted' \u{1F600} in two lines;\r\n\r`.repeat(9_000)
    const packed = Uint8Array.from({ length: 150_000 }, (_, n) => n % 251)
    used.prepare("UPDATE items SET message = ? WHERE id = 'a'").run(text)
    used.prepare('INSERT INTO item_txids (item_id, txids, packed) VALUES (?, ?, ?)').run('b', txids, packed)
    const { tables } = readSchema()
    const [source, target] = [join(folder, 'long.sql'), join(folder, 'long-restore.sql')]
    writeFileSync(source, `${tables.map((table) => exported(used, table)).join('\n')}\n`)
    writeRestore(source, target)
    const restored = newDatabase()
    const sql = readFileSync(target, 'utf8')
    restored.exec(sql)
    for (const table of ['items', 'item_txids']) {
      const all = (db: Database) => db.prepare(`SELECT * FROM ${table}`).all()
      expect(all(restored), table).toEqual(all(used))
    }
    const longest = Math.max(
      ...sql.split(/;\n(?=INSERT|UPDATE|CREATE|DROP|DELETE)/).map((one) => Buffer.byteLength(one)),
    )
    expect(longest).toBeLessThan(100_000)
  })

  it('is not written of an export that was cut off', () => {
    const source = join(folder, 'cut.sql')
    writeFileSync(source, `INSERT INTO "items" ("id") VALUES('a`)
    expect(() => writeRestore(source, join(folder, 'cut-restore.sql'))).toThrow(/ends within a statement/)
  })

  it('is not written over a file that exists', () => {
    const [source, target] = [join(folder, 'empty.sql'), join(folder, 'kept.sql')]
    writeFileSync(source, '')
    writeFileSync(target, 'kept')
    expect(() => writeRestore(source, target)).toThrow('EEXIST')
    expect(readFileSync(target, 'utf8')).toBe('kept')
  })
})
