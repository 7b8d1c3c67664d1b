import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makePrivateFolder } from '../../client/stores/private-folder.ts'

/**
 * Writes a file completely or not at all, even if the process is killed. Only its owner can read it (0600, in a folder
 * of 0700); with `anybody` the umask applies, and the folder must exist. The modes are set afterwards, so that neither
 * the umask nor an older file changes them.
 */
export async function writeWhole(path: string, text: string, { anybody = false } = {}): Promise<void> {
  if (!anybody) await makePrivateFolder(dirname(path))
  const draft = `${path}.${randomUUID()}.new`
  try {
    const file = await open(draft, 'wx', anybody ? 0o666 : 0o600)
    try {
      if (!anybody) await file.chmod(0o600)
      await file.writeFile(text)
      // Otherwise the rename could reach the disk before the bytes.
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
