/** What a case does with an empty database, and what it sees then. */
export interface DatabaseCase {
  run(db: D1Database): Promise<unknown>
  sees: unknown
}

const messageOf = (act: Promise<unknown>): Promise<string> =>
  act.then(
    () => 'no error',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )

const TABLE = 'CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, bytes BLOB)'

export const DATABASE_CASES: Record<string, DatabaseCase> = {
  'rows are read as objects, as lists and one by one': {
    run: async (db) => {
      await db.prepare(TABLE).run()
      await db.prepare('INSERT INTO t (id, name) VALUES (?, ?), (?, ?)').bind(1, 'a', 2, null).run()
      const all = db.prepare('SELECT id, name FROM t ORDER BY id')
      const { results } = await all.all()
      return [
        results,
        await all.raw(),
        await all.raw({ columnNames: true }),
        await all.first(),
        await all.first('name'),
        await db.prepare('SELECT 1 AS x WHERE 0').first(),
      ]
    },
    sees: [
      [
        { id: 1, name: 'a' },
        { id: 2, name: null },
      ],
      [
        [1, 'a'],
        [2, null],
      ],
      [
        ['id', 'name'],
        [1, 'a'],
        [2, null],
      ],
      { id: 1, name: 'a' },
      'a',
      null,
    ],
  },
  'a statement says what it changed, with its triggers': {
    run: async (db) => {
      await db.batch([
        db.prepare(TABLE),
        db.prepare('CREATE TABLE log (id INTEGER)'),
        db.prepare('CREATE TRIGGER logged AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.id); END'),
      ])
      const metaOf = async (sql: string) => {
        const { changes, last_row_id, changed_db } = (await db.prepare(sql).run()).meta
        return [changes, last_row_id, changed_db]
      }
      return [
        await metaOf("INSERT INTO t (id, name) VALUES (7, 'a')"),
        await metaOf("UPDATE t SET name = 'b' WHERE id = 8"),
        await metaOf("UPDATE t SET name = 'b'"),
        (await metaOf('SELECT * FROM t'))[0],
      ]
    },
    sees: [[2, 7, true], [0, 7, false], [1, 7, true], 0],
  },
  'a batch is written whole, or not at all': {
    run: async (db) => {
      await db.prepare(TABLE).run()
      const insert = (name: string) => db.prepare('INSERT INTO t (name) VALUES (?)').bind(name)
      const results = await db.batch([insert('a'), insert('b'), db.prepare('SELECT count(*) AS n FROM t')])
      const refused = await messageOf(db.batch([insert('c'), insert('a')]))
      const { results: rows } = await db.prepare('SELECT name FROM t ORDER BY name').all()
      return [results[2]?.results, refused, rows]
    },
    sees: [
      [{ n: 2 }],
      'D1_ERROR: UNIQUE constraint failed: t.name: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)',
      [{ name: 'a' }, { name: 'b' }],
    ],
  },
  'bytes are stored and read as bytes': {
    run: async (db) => {
      await db.prepare(TABLE).run()
      await db
        .prepare('INSERT INTO t (bytes) VALUES (?)')
        .bind(Uint8Array.of(1, 2, 255))
        .run()
      const { results } = await db.prepare('SELECT bytes, typeof(bytes) AS kind FROM t').all()
      return results
    },
    sees: [{ bytes: [1, 2, 255], kind: 'blob' }],
  },
  "errors have their statement's words": {
    run: async (db) => [
      await messageOf(db.prepare('SELECT * FROM none').all()),
      (await messageOf(db.prepare("SELECT json_extract('{}', 'x')").all())).slice(0, 23),
    ],
    sees: ['D1_ERROR: no such table: none: SQLITE_ERROR', 'D1_ERROR: bad JSON path'],
  },
  'foreign keys are kept': {
    run: async (db) => {
      await db.batch([
        db.prepare('CREATE TABLE a (id INTEGER PRIMARY KEY)'),
        db.prepare('CREATE TABLE b (a INTEGER REFERENCES a (id))'),
      ])
      return await messageOf(db.prepare('INSERT INTO b VALUES (1)').run())
    },
    sees: 'D1_ERROR: FOREIGN KEY constraint failed: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY)',
  },
  'the size that a statement leaves is known': {
    run: async (db) => (await db.prepare(TABLE).run()).meta.size_after > 4096,
    sees: true,
  },
}
