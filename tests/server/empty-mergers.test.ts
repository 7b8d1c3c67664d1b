import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { removeEmptyMergers } from '../../server/command/empty-mergers.ts'
import { tempFolder } from '../kit/temp-folder.ts'

const EMPTY = 'CREATE TABLE a (b); DROP TABLE a; VACUUM'

/** The file of an object, after these statements; `isOpen`: with a log that is not yet in it. */
function write(folder: string, letter: string, sql: string, isOpen = false): DatabaseSync {
  const database = new DatabaseSync(join(folder, `${letter.repeat(64)}.sqlite`))
  database.exec(`PRAGMA journal_mode = WAL; ${sql}`)
  if (!isOpen) database.close()
  return database
}

it('removes the files of mergers that keep nothing, and no other', async () => {
  const folder = await tempFolder()
  write(folder, 'a', EMPTY)
  write(folder, 'b', 'CREATE TABLE a (b)')
  write(folder, 'c', `CREATE TABLE a (b); INSERT INTO a VALUES ('${'x'.repeat(9000)}'); DROP TABLE a`)
  write(folder, 'd', EMPTY)
  const open = write(folder, 'd', 'CREATE TABLE a (b)', true)
  writeFileSync(join(folder, `${'e'.repeat(64)}.sqlite`), '')
  writeFileSync(join(folder, `${'f'.repeat(64)}.sqlite`), Buffer.alloc(4096))
  writeFileSync(join(folder, 'metadata.sqlite'), '')
  expect(existsSync(join(folder, `${'d'.repeat(64)}.sqlite-wal`))).toBe(true)

  expect(removeEmptyMergers(folder)).toBe(2)
  open.close()
  const kept = readdirSync(folder).filter((name) => name.endsWith('.sqlite'))
  expect(kept.map((name) => name[0]).sort()).toEqual(['b', 'c', 'd', 'f', 'm'])
})
