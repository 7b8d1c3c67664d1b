import type { ChosenFile } from '../core/chosen-files.ts'
import { mediaTypeOf } from '../core/media-type-of.ts'

/** Maximum number of files and folders that are read in parallel. */
const MAX_PARALLEL = 64

/** The file to read, and the handle of the dropped file or folder, with which it can be read after a page reload. */
export interface FileSource {
  file: File
  handle: FileSystemHandle | undefined
}

/** All files of a drag-and-drop transfer, including those in folders. */
export async function readDropped(transfer: DataTransfer): Promise<ChosenFile<FileSource>[]> {
  // Entries and handles must be requested before the first await. After it `transfer.items` is empty.
  const dropped = [...transfer.items].flatMap((item) => {
    const entry = item.kind === 'file' ? item.webkitGetAsEntry() : null
    return entry ? [{ entry, handle: handleOf(item) }] : []
  })
  const found: ChosenFile<FileSource>[] = []
  for (const { entry, handle } of dropped) await walk(entry, await handle, found)
  return found
}

/** The files of a file input. For a folder input the paths include the folder. */
export function readPicked(list: FileList): ChosenFile<FileSource>[] {
  return [...list].map((file) => chosen(file.webkitRelativePath || file.name, file, undefined))
}

async function walk(entry: FileSystemEntry, handle: FileSystemHandle | undefined, found: ChosenFile<FileSource>[]) {
  const queue = [entry]
  for (let next = queue.splice(0, MAX_PARALLEL); next.length > 0; next = queue.splice(0, MAX_PARALLEL)) {
    await Promise.all(
      next.map(async (each) => {
        if (isFile(each)) found.push(chosen(pathOf(each), await fileOf(each), handle))
        else if (isDirectory(each)) queue.push(...(await entriesOf(each)))
      }),
    )
  }
}

/** In Chromium `readEntries` returns at most 100 entries per call. An empty list is the end. */
async function entriesOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (batch.length === 0) return all
    all.push(...batch)
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

function pathOf(entry: FileSystemEntry): string {
  return entry.fullPath.replace(/^\//, '')
}

function chosen(path: string, file: File, handle: FileSystemHandle | undefined): ChosenFile<FileSource> {
  const { size, lastModified, type } = file
  return { path, size, lastModified, mimetype: mediaTypeOf(path, type), source: { file, handle } }
}

async function handleOf(item: DataTransferItem): Promise<FileSystemHandle | undefined> {
  const get: unknown = Reflect.get(item, 'getAsFileSystemHandle')
  if (typeof get !== 'function') return undefined
  const handle: unknown = await Reflect.apply(get, item, []).catch(() => undefined)
  return typeof FileSystemHandle === 'function' && handle instanceof FileSystemHandle ? handle : undefined
}
