import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isTooOld, readState } from './take-copy.ts'

/** Where copies of the tables are, each in a folder of its own, below the folder of `--to`. */
const TABLES = 'tables'
/** Where the objects of all of them are. */
export const OBJECTS = 'objects'

/** The folder of the copy that is to be taken: of one that was interrupted, or a new one. */
export async function nextCopy(to: string, now: number): Promise<{ folder: string; isNew: boolean }> {
  const ids = await readdir(join(to, TABLES)).catch((): string[] => [])
  const last = ids.sort().at(-1)
  if (last !== undefined) {
    const folder = join(to, TABLES, last)
    const state = await readState(folder)
    if (state && state.finishedAt === undefined && !isTooOld(state, now)) return { folder, isNew: false }
  }
  const id = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return { folder: join(to, TABLES, id), isNew: true }
}
