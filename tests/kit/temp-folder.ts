import { mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let root: string | undefined

/** A temporary folder that exists until the process ends: a page may read a file long after it was chosen. */
export async function tempFolder(): Promise<string> {
  root ??= rootFolder()
  return await mkdtemp(join(root, 'folder-'))
}

/** The path of a file in such a folder. Drivers pass a path at once, and bytes slowly. */
export async function tempFile(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(await tempFolder(), name)
  await writeFile(path, bytes)
  return path
}

function rootFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-temp-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
