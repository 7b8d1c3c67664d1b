import { mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let root: string | undefined

/** A folder that stays until the process ends: a page may read a file long after it was chosen. */
export async function keptFolder(): Promise<string> {
  root ??= rootFolder()
  return await mkdtemp(join(root, 'kept-'))
}

/** Such a folder with one file; returns the file's path. A driver takes long to pass bytes on, and no time for a path. */
export async function keptFile(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(await keptFolder(), name)
  await writeFile(path, bytes)
  return path
}

function rootFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-kept-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
