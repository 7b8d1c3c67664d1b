import { chmod, mkdir } from 'node:fs/promises'

/** Creates a folder that only its owner can enter. The mode is set afterwards, so that no umask changes it. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700)
}
