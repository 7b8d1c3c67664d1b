import { appendFile, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from './lock-folder.ts'
import { makePrivateFolder } from './private-folder.ts'
import type { StateStore } from './state-store.ts'
import { userFolders } from './user-folders.ts'

/** A state store that can lock. */
type LockingStore = StateStore & { lock: (key: string) => Promise<() => Promise<void>> }

/**
 * A file store in `folder`, by default where the command of this user stores its orders.
 * @throws if the folder cannot be created
 */
export async function openFileStore(folder = userFolders(process.env).state): Promise<StateStore | undefined> {
  await makePrivateFolder(join(folder, 'orders'))
  return fileStore(folder, { anew: false })
}

/**
 * Stores orders below `folder`: a folder for each, with an append-only file of lines. With `anew`, the state of an
 * order is deleted the first time it is read.
 */
export function fileStore(folder: string, { anew }: { anew: boolean }): LockingStore {
  const folderOf = (key: string) => join(folder, 'orders', key)
  const pathOf = (key: string) => join(folderOf(key), 'journal.jsonl')
  const forgotten = new Set<string>()
  const made = new Set<string>()
  return {
    async read(key) {
      if (anew && !forgotten.has(key)) await rm(pathOf(key), { force: true })
      forgotten.add(key)
      const text = await readFile(pathOf(key), 'utf8').catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
        throw error
      })
      const lines = text.split('\n')
      // A crash cut off the last line. It is ended here, or the next record would be joined to it.
      if (lines.pop() !== '') await appendFile(pathOf(key), '\n')
      return lines
    },
    async append(key, record) {
      if (!made.has(key)) await makePrivateFolder(folderOf(key))
      made.add(key)
      const file = await open(pathOf(key), 'a', 0o600)
      try {
        await file.appendFile(`${record}\n`)
      } finally {
        await file.close()
      }
    },
    async remove(key) {
      await rm(pathOf(key), { force: true })
    },
    async lock(key) {
      await makePrivateFolder(folderOf(key))
      return lockFolder(folderOf(key))
    },
  }
}
