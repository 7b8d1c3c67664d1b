import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file that only its owner can read (0600, in a folder of 0700), whole or not at all, wherever the process is
 * killed. The modes are set and not only asked for, so that no umask and no older file changes them.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  await makePrivateFolder(dirname(path))
  const draft = `${path}.${randomUUID()}.new`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.chmod(0o600)
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

/** Makes a folder that only its owner can enter. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700)
}
