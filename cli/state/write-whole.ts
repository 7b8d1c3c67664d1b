import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makePrivateFolder } from '../../client/stores/private-folder.ts'

/**
 * Writes a file that only its owner can read (0600, in a folder of 0700; with `anybody` as the umask says, in a folder
 * that is there), whole or not at all, wherever the process is killed. The modes are set and not only asked for, so that no umask and no older file changes them.
 */
export async function writeWhole(path: string, text: string, { anybody = false } = {}): Promise<void> {
  if (!anybody) await makePrivateFolder(dirname(path))
  const draft = `${path}.${randomUUID()}.new`
  try {
    const file = await open(draft, 'wx', anybody ? 0o666 : 0o600)
    try {
      if (!anybody) await file.chmod(0o600)
      await file.writeFile(text)
      // Or the name could be on the disk before the bytes are.
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
