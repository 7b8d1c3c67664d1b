import { existsSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { chainRepairs } from '../../../scripts/backup/repair-money.ts'
import { databaseFile } from '../database-file.ts'
import { makeLasting, syncFile, syncFolder } from '../lasting.ts'
import { BackupError, type BackupPlace, LIST } from './backup-place.ts'
import { type CopiedFile, describeFile } from './take-backup.ts'

const List = v.object({
  made: v.number(),
  files: v.array(
    v.object({
      /** Below the folder of the objects, and never elsewhere. */
      path: v.pipe(v.string(), v.regex(/^[A-Za-z][\w-]*\/[\w.-]+\.sqlite$/)),
      size: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
      sha256: v.string(),
    }),
  ),
})

/**
 * Makes the data folder of a backup, with payouts and writing stopped until an operator has compared: the wallet may have
 * paid since. The files are fetched and checked beside their place, and get their name when all is right.
 * @throws {BackupError} and the folder is left as it was
 */
export async function restoreBackup(from: BackupPlace, dataDir: string): Promise<void> {
  const objects = join(dataDir, 'objects')
  if (existsSync(objects) && readdirSync(objects).length > 0) {
    throw new BackupError(`${dataDir} has data. Restore into an empty folder, or move that away first.`)
  }
  const { made, files } = await readList(from)
  makeLasting(dataDir)
  const drafts = join(dataDir, 'objects.part')
  rmSync(drafts, { recursive: true, force: true })
  try {
    makeLasting(drafts)
    for (const file of files) await fetchFile(from, file, drafts)
    repairDatabase(databaseFile(drafts), from.name, made)
    if (existsSync(objects)) rmdirSync(objects)
    renameSync(drafts, objects)
    syncFolder(dataDir)
  } finally {
    rmSync(drafts, { recursive: true, force: true })
  }
}

async function readList(from: BackupPlace): Promise<v.InferOutput<typeof List>> {
  const text = await from.readList()
  if (text === undefined)
    throw new BackupError(`${from.name} is no backup, or one that did not end: it has no ${LIST}.`)
  try {
    return v.parse(List, JSON.parse(text))
  } catch (cause) {
    throw new BackupError(`${LIST} of ${from.name} is not as this command writes it.`, { cause })
  }
}

async function fetchFile(from: BackupPlace, { path, size, sha256 }: CopiedFile, drafts: string): Promise<void> {
  const file = join(drafts, path)
  makeLasting(dirname(file))
  await from.fetch(path, size, file)
  const found = await describeFile(file)
  if (found.size !== size || found.sha256 !== sha256) throw new BackupError(`${path} of the backup was changed.`)
  syncFile(file)
  syncFolder(dirname(file))
}

function repairDatabase(file: string, name: string, made: number): void {
  if (!existsSync(file)) throw new BackupError(`${name} has no database.`)
  const database = new DatabaseSync(file)
  try {
    const [problem] = database.prepare('PRAGMA integrity_check').all()
    if (problem?.integrity_check !== 'ok') throw new BackupError(`The database of ${name} is damaged.`)
    database.exec('PRAGMA synchronous = FULL; BEGIN')
    for (const { sql } of chainRepairs(basename(name), made)) for (const statement of sql) database.exec(statement)
    database.exec('COMMIT')
  } finally {
    database.close()
  }
}
