import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeLasting, syncFile, syncFolder } from '../lasting.ts'
import { BackupError, type BackupPlace, LIST } from './backup-place.ts'

/** A backup that is a folder of this machine. */
export function folderPlace(folder: string): BackupPlace {
  const list = join(folder, LIST)
  return {
    name: folder,
    readList: async () => (existsSync(list) ? readFileSync(list, 'utf8') : undefined),
    begin: async () => {
      if (existsSync(folder)) throw new BackupError(`${folder} exists.`)
      makeLasting(folder)
    },
    draft: (path) => {
      makeLasting(dirname(join(folder, path)))
      return join(folder, path)
    },
    keep: async (path) => {
      syncFile(join(folder, path))
      syncFolder(dirname(join(folder, path)))
    },
    writeList: async (text) => {
      writeFileSync(list, text)
      syncFile(list)
      syncFolder(folder)
    },
    end: async () => {},
    fetch: async (path, _size, to) => {
      if (!existsSync(join(folder, path))) throw new BackupError(`${path} of the backup is missing.`)
      copyFileSync(join(folder, path), to)
    },
  }
}
