import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDERS } from '../object-folders.ts'
import { DamagedDataError, readDatabase } from './damaged-data.ts'
import { databaseFile } from './database-file.ts'
import { syncFile, syncFolder } from './lasting.ts'

/** The file that says which database file the folder was last served with. */
const MARK = 'place'

/**
 * Checks each SQLite file of a data folder that was copied since it was last served, or restored: a copy may have been
 * cut off, or made of a file while it was written. Not at each start: a GiB takes seconds. Nothing is changed; nothing else
 * may have the files open. Returns how many files were checked.
 * @throws {DamagedDataError}
 */
export function checkCopy(dataDir: string): number {
  const objects = join(dataDir, 'objects')
  const files = FOLDERS.flatMap((key) => {
    const folder = join(objects, key)
    const names = existsSync(folder) ? readdirSync(folder) : []
    return names.filter((name) => name.endsWith('.sqlite')).map((name) => join(folder, name))
  })
  if (files.length === 0) return 0
  if (!existsSync(databaseFile(objects))) {
    throw new DamagedDataError(databaseFile(objects), 'missing, and other data is there')
  }
  const mark = join(dataDir, MARK)
  if (existsSync(mark) && readFileSync(mark, 'utf8') === placeOf(objects)) return 0
  for (const file of files) checkFile(file)
  return files.length
}

/** Notes, lasting, that this folder was served with its present files. */
export function markPlace(dataDir: string): void {
  const [mark, place] = [join(dataDir, MARK), placeOf(join(dataDir, 'objects'))]
  if (existsSync(mark) && readFileSync(mark, 'utf8') === place) return
  writeFileSync(mark, place, { mode: 0o600 })
  syncFile(mark)
  syncFolder(dataDir)
}

/** What no copy of the database's file has, too: its number in the file system, and when it was made there. */
function placeOf(objects: string): string {
  const { ino, birthtimeNs } = statSync(databaseFile(objects), { bigint: true })
  return `${ino} ${birthtimeNs}\n`
}

function checkFile(file: string): void {
  const found = readDatabase(file, (database) => database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check)
  if (found !== 'ok') throw new DamagedDataError(file, String(found))
}
