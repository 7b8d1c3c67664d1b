import { join } from 'node:path'
import { DATABASE, KEYS } from '../object-folders.ts'
import { objectId } from '../object-id.ts'

/** The database's file below the folder of the objects. */
export function databaseFile(objects: string): string {
  return join(objects, KEYS.database, `${objectId(KEYS.database, DATABASE)}.sqlite`)
}
