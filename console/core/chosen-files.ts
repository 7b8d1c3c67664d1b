import { isDesktopFile } from '../../client/folder/left-out.ts'
import { MAX_DIRECTORY_FILES, MAX_FOLDER_LEVELS } from '../../contract/limits.ts'
import { COMPRESSIBLE } from '../../contract/media-type.ts'
import { incompressibleSize } from '../../protocol/literal-brotli.ts'
import { findIndexName } from '../../protocol/site-index.ts'

/** A file that a user chose, before anything is sent; `Source` is what its bytes are read from. */
export interface ChosenFile<Source = unknown> {
  /** Relative to what was chosen, joined by `/`; the same for a drop and for a picker. */
  path: string
  size: number
  mimetype: string
  /** In ms since 1970; detects a changed file. */
  lastModified: number
  source: Source
}

/** Why a file is left out unless the user includes it. */
export type LeftOut = 'hidden' | 'dependencies' | 'desktop'

/** Why a target refuses a file, with the limit. */
export interface Refusal {
  path: string
  size: number
  reason: 'too_large' | 'name' | 'deep'
  limit: number
}

/** A row of the chosen files: a file, or a folder with everything below it. */
export interface TopEntry {
  name: string
  folder: boolean
  files: number
  folders: number
  bytes: number
  mimetype: string
}

/** Longest name in characters. */
const MAX_NAME = 255

/** `files` with `added`; a file with the same path replaces the earlier one. */
export function addFiles<File extends ChosenFile>(files: readonly File[], added: readonly File[]): File[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  for (const file of added) byPath.set(file.path, file)
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Without the file `path` and without everything below a folder of that path. */
export function withoutPath<File extends ChosenFile>(files: readonly File[], path: string): File[] {
  return files.filter((file) => file.path !== path && !file.path.startsWith(`${path}/`))
}

/** Why `file` is probably chosen by accident; undefined for all others. */
export function leftOutByDefault(file: ChosenFile): LeftOut | undefined {
  const names = file.path.split('/')
  if (names.includes('node_modules')) return 'dependencies'
  if (names.some(isDesktopFile)) return 'desktop'
  // The folder of well-known files of a site (RFC 8615) is meant to be published.
  return names.some((name) => name.startsWith('.') && name !== '.well-known') ? 'hidden' : undefined
}

/** The found files to store, and those that are probably chosen by accident. */
export function sortOut<File extends ChosenFile>(found: readonly File[]): { files: File[]; leftOut: File[] } {
  const out = (file: File) => leftOutByDefault(file) !== undefined
  return { files: found.filter((file) => !out(file)), leftOut: found.filter(out) }
}

/** The rows of a list: single files, and the folders at the top. */
export function topEntries(files: readonly ChosenFile[]): TopEntry[] {
  const entries = new Map<string, TopEntry & { below: Set<string> }>()
  for (const { path, size, mimetype } of files) {
    const [name = path, ...rest] = path.split('/')
    const entry = entries.get(name) ?? {
      name,
      folder: rest.length > 0,
      files: 0,
      folders: 0,
      bytes: 0,
      mimetype,
      below: new Set<string>(),
    }
    for (let depth = 1; depth < rest.length; depth++) entry.below.add(rest.slice(0, depth).join('/'))
    entry.files++
    entry.bytes += size
    entry.folders = entry.below.size
    entries.set(name, entry)
  }
  return [...entries.values()].map(({ below: _, ...entry }) => entry)
}

/** The limits of a target: bytes of a file, of one that cannot be compressed, and of the data of a transaction. */
export interface Limits {
  maxFileBytes: number
  maxIncompressibleBytes: number
  /** Null for IPFS. */
  maxDataBytes: number | null
}

/** The largest file of any content on a target. */
export function mostBytes({ maxFileBytes, maxIncompressibleBytes }: Limits): number {
  return Math.min(maxFileBytes, maxIncompressibleBytes)
}

/** The files whose place no target accepts, each with its reason. */
export function misplacedFiles(files: readonly ChosenFile[]): Refusal[] {
  return files.flatMap(({ path, size }): Refusal[] => {
    const names = path.split('/')
    if (names.some((name) => name === '' || name.length > MAX_NAME || /\p{Cc}/u.test(name))) {
      return [{ path, size, reason: 'name', limit: MAX_NAME }]
    }
    return names.length - 1 > MAX_FOLDER_LEVELS ? [{ path, size, reason: 'deep', limit: MAX_FOLDER_LEVELS }] : []
  })
}

/** The first folder that has more files than one directory may have. */
export function crowdedFolder(files: readonly ChosenFile[]): TopEntry | undefined {
  return topEntries(files).find(({ folder, files: count }) => folder && count > MAX_DIRECTORY_FILES)
}

/**
 * The files that a target with these limits refuses for their size, each with its reason. A file that may compress well
 * is refused only if its stored size is known: `stored`, for each file.
 */
export function oversizedFiles(files: readonly ChosenFile[], target: Limits, stored?: readonly number[]): Refusal[] {
  const most = mostBytes(target)
  return files.flatMap(({ path, size, mimetype }, index): Refusal[] => {
    if (size > target.maxFileBytes) return [{ path, size, reason: 'too_large', limit: target.maxFileBytes }]
    const known = stored?.[index]
    const least =
      known !== undefined ? incompressibleSize(known, target.maxDataBytes ?? 0) : COMPRESSIBLE.test(mimetype) ? 0 : size
    return least > most ? [{ path, size, reason: 'too_large', limit: most }] : []
  })
}

/** Whether a folder has a first page, such as index.html, or the only folder in it that has one. */
export function findIndex(files: readonly ChosenFile[], root: string): { index: boolean; instead: string | undefined } {
  const pages = files.filter(({ path }) => findIndexName([path.slice(path.lastIndexOf('/') + 1)]) !== undefined)
  const folders = new Set(pages.map(({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/')))))
  if (folders.has(root)) return { index: true, instead: undefined }
  const inside = [...folders].filter((folder) => folder.startsWith(`${root}/`))
  const nearest = Math.min(...inside.map((folder) => folder.split('/').length))
  const candidates = inside.filter((folder) => folder.split('/').length === nearest)
  return { index: false, instead: candidates.length === 1 ? candidates[0] : undefined }
}

/** Only the files below `folder`, with that folder as the top. */
export function keepOnly<File extends ChosenFile>(files: readonly File[], root: string, folder: string): File[] {
  const name = folder.split('/').at(-1) ?? folder
  return files.flatMap((file) => {
    if (!file.path.startsWith(`${root}/`)) return [file]
    return file.path.startsWith(`${folder}/`) ? [{ ...file, path: name + file.path.slice(folder.length) }] : []
  })
}

export function totalBytes(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}
