import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { KEYS, keyOfClass } from '../../object-folders.ts'
import { BackupError, type BackupPlace } from './backup-place.ts'

/**
 * What is copied, in this order: a payment that the database does not know yet is in its agent's storage or in the bucket. What the
 * others hold is made anew.
 */
const COPIED = [KEYS.database, keyOfClass('ChainAgent'), keyOfClass('ContentFetcher'), KEYS.clock, KEYS.bucket]

/** A file of a backup, by its path below it. */
export interface CopiedFile {
  path: string
  /** Bytes. */
  size: number
  /** Hex. */
  sha256: string
}

/**
 * Copies the data while the service runs, each file as it is at one moment, to a place that is made. `now` in ms since 1970.
 * @throws {BackupError}
 */
export async function takeBackup(dataDir: string, place: BackupPlace, now: number): Promise<void> {
  const source = join(dataDir, 'objects')
  if (!existsSync(join(source, KEYS.database))) throw new BackupError(`${dataDir} has no data to copy.`)
  await place.begin()
  try {
    const files: CopiedFile[] = []
    for (const key of COPIED) {
      for (const name of readdirSync(join(source, key)).filter((file) => file.endsWith('.sqlite'))) {
        const path = join(key, name)
        const draft = place.draft(path)
        await copyDatabase(join(source, path), draft)
        files.push({ path, ...(await describeFile(draft)) })
        await place.keep(path)
      }
    }
    await place.writeList(`${JSON.stringify({ made: now, files }, null, 2)}\n`)
  } finally {
    await place.end()
  }
}

/** The name of a backup that is made now (ms since 1970). */
export function backupName(now: number): string {
  return new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
}

async function copyDatabase(from: string, to: string): Promise<void> {
  const database = new DatabaseSync(from, { readOnly: true })
  try {
    await backup(database, to)
  } finally {
    database.close()
  }
}

/** The size and SHA-256 of a file. */
export async function describeFile(file: string): Promise<Omit<CopiedFile, 'path'>> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(file)) hash.update(bytes)
  return { size: statSync(file).size, sha256: hash.digest('hex') }
}
