import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { DamagedDataError, readDatabase } from '../../server/command/damaged-data.ts'
import { tempFile, tempFolder } from '../kit/temp-folder.ts'

const check = (database: DatabaseSync) => database.prepare('PRAGMA integrity_check').get()?.integrity_check

it('reads a database whose transaction was cut off, as it was before', async () => {
  const folder = await tempFolder()
  const [file, copy] = [join(folder, 'a.sqlite'), join(folder, 'b.sqlite')]
  const open = new DatabaseSync(file)
  open.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1); PRAGMA cache_size = 1; BEGIN')
  // More than the cache holds: some of it is written before the commit.
  for (let row = 0; row < 100; row++) open.exec('INSERT INTO t VALUES (zeroblob(4000))')
  copyFileSync(file, copy)
  copyFileSync(`${file}-journal`, `${copy}-journal`)
  open.close()
  expect(existsSync(`${copy}-journal`)).toBe(true)
  expect(readDatabase(copy, (database) => [check(database), database.prepare('SELECT a FROM t').all()])).toEqual([
    'ok',
    [{ a: 1 }],
  ])
})

it('names the file that is no database, and leaves it as it is', async () => {
  const bytes = new Uint8Array(5000).fill(7)
  const file = await tempFile('c.sqlite', bytes)
  expect(() => readDatabase(file, check)).toThrow(DamagedDataError)
  expect(() => readDatabase(file, check)).toThrow(`${file} is damaged (file is not a database)`)
  expect(new Uint8Array(readFileSync(file))).toEqual(bytes)
})
