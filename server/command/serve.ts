import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { FOLDERS, keyOfClass } from '../object-folders.ts'
import { checkCopy, markPlace } from './check-copy.ts'
import { databaseFile } from './database-file.ts'
import { removeEmptyMergers } from './empty-mergers.ts'
import { makeLasting, syncFolder } from './lasting.ts'
import { migrateDatabase } from './migrate-database.ts'
import type { ServerPlan } from './server-settings.ts'

/** The file of the lock, which the running workerd holds. */
export const LOCK = 'lock'

/** What was done before a start. */
export interface Prepared {
  /** Files of a copy that were checked. */
  checked: number
  /** Migrations that were applied. */
  applied: string[]
}

/**
 * Checks the files of a copy, makes the objects' folders, lasting, migrates the database, and removes what is left of merges
 * that are done; nothing else may have any of it open. @throws {DamagedDataError} {@link OtherVersionError} and nothing is
 * changed.
 */
export function prepareFolder(dataDir: string, migrations: string, older: boolean): Prepared {
  const checked = checkCopy(dataDir)
  for (const folder of ['', 'objects', ...FOLDERS.map((key) => join('objects', key))]) {
    makeLasting(join(dataDir, folder))
  }
  const file = databaseFile(join(dataDir, 'objects'))
  const applied = migrateDatabase(file, migrations, older)
  syncFolder(dirname(file))
  markPlace(dataDir)
  removeEmptyMergers(join(dataDir, 'objects', keyOfClass('ItemMerger')))
  return { checked, applied }
}

/**
 * The bytes of memory that contents may take: those of the setting, and at most a quarter of the machine's or of what its
 * control group may have (0 where there is no limit).
 */
export function cacheMemory(wanted: number, machineBytes: number, groupBytes: number): number {
  return Math.min(wanted, Math.floor(Math.min(machineBytes, groupBytes || machineBytes) / 4))
}

/** The arguments and environment of workerd. Of this process's environment it gets nothing but what is named here. */
export function workerdCall(plan: ServerPlan, home: string): { args: string[]; env: Record<string, string> } {
  const { machine, variables, ownServices } = plan
  return {
    args: [
      'serve',
      join(home, 'hookline.capnp'),
      '--directory-path',
      `objects=${join(machine.DATA_DIR, 'objects')}`,
      '--socket-addr',
      `public=${machine.LISTEN}`,
      '--socket-addr',
      `internal=${machine.INTERNAL_LISTEN}`,
    ],
    env: {
      ...variables,
      DISK_BYTES: machine.DISK_BYTES,
      CACHE_BYTES: machine.CACHE_BYTES,
      CACHE_MEMORY: String(cacheMemory(Number(machine.CACHE_MEMORY), totalmem(), process.constrainedMemory())),
      TRUSTED_PROXIES: machine.TRUSTED_PROXIES,
      OWN_SERVICES: ownServices.join(' '),
    },
  }
}
