import { dirname, join } from 'node:path'
import type { IpfsDirectoryEntry, IpfsDirectoryFile } from '../../client/read-ipfs.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { getBytes, makeFolder, type Written } from './get-file.ts'
import { writeToStdout } from './write-to-stdout.ts'

/** Where the bytes are written: a path, or stdout. */
export type Place = { path: string } | 'stdout'

/** What was written of a directory: its files, and the folders in which nothing is. */
export interface WrittenTree {
  files: Written[]
  emptyFolders: string[]
}

/**
 * Writes a directory below `root`, each file by `writeFile`. Its empty folders are made; symbolic links, which could
 * lead anywhere, are named and left out.
 * @throws {CommandError} 5 if a file is in the way
 */
export async function writeTree(
  { output }: Pick<Context, 'output'>,
  entries: AsyncIterable<IpfsDirectoryEntry>,
  root: string,
  writeFile: (file: IpfsDirectoryFile, path: string) => Promise<Written>,
): Promise<WrittenTree> {
  const files: Written[] = []
  const emptyFolders: string[] = []
  for await (const entry of entries) {
    const path = join(root, entry.path)
    if (entry.kind === 'folder') {
      await makeFolder(path)
      emptyFolders.push(path)
    } else {
      await makeFolder(dirname(path))
      if (entry.kind === 'file') files.push(await writeFile(entry, path))
      else output.note(`Left out: ${path}, a symbolic link.`)
    }
    output.step({ step: 'writing', done: files.length, unit: 'files' })
  }
  output.endStep()
  return { files, emptyFolders }
}

/**
 * Writes a website from transactions, or a single file of it to stdout.
 * @throws {CommandError} 2 for a folder on stdout, 5 if a different file exists
 */
export async function getSite(
  context: Context,
  entries: AsyncIterable<IpfsDirectoryEntry>,
  place: Place,
  force: boolean,
): Promise<WrittenTree> {
  if (place !== 'stdout')
    return writeTree(context, entries, place.path, async (file, path) => getBytes(path, await file.bytes(), { force }))
  for await (const entry of entries) {
    if (entry.kind === 'file' && entry.path === '')
      return { files: await toStdout(context, await entry.bytes()), emptyFolders: [] }
    break
  }
  throw usageError('This is a folder.', 'Name the folder to write with -o, or add a slash and the path of one file.')
}

export async function toStdout(context: Context, bytes: Uint8Array): Promise<Written[]> {
  await writeToStdout(context, [bytes])
  return [{ path: '', bytes: bytes.length, how: 'written' }]
}
