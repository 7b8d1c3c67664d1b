import { MAX_DIRECTORY_FILES, MAX_ESTIMATED_FILES, MAX_FOLDER_LEVELS } from '../../contract/limits.ts'
import { HooklineError } from '../http/api-error.ts'
import { byteSource } from './byte-source.ts'
import type { ByteSource, PutContent } from './put-content.ts'

/** A file to be stored. */
export interface PutFile {
  /** Its name, or its path relative to the folder, with slashes. */
  path: string
  /** Media type. Default: by the file name. */
  mimetype?: string | undefined
  content: PutContent
}

/** A file after validation. */
export interface PlannedFile {
  path: string
  /** Path of its folder; '' for the order's own. */
  folder: string
  name: string
  mimetype: string
  source: ByteSource
}

export interface FileFault {
  path: string
  problem: string
}

/** Thrown before anything is created; lists everything that is wrong. */
export class InvalidFilesError extends HooklineError {
  override name = 'InvalidFilesError'
  readonly faults: readonly FileFault[]

  constructor(faults: readonly FileFault[]) {
    const [first] = faults
    const more = faults.length > 1 ? ` and ${faults.length - 1} more` : ''
    super('invalid_files', `${first?.path || '""'}: ${first?.problem}${more}. Nothing was created.`)
    this.faults = faults
  }
}

const MAX_NAME = 255

/**
 * Validates the whole order before its first request. Pure except that it reads sizes.
 * @throws {InvalidFilesError}
 */
export function planFiles(
  files: readonly PutFile[],
  options: {
    directory: boolean
    /** Whether the order is put into a folder of the account. */
    inFolder?: boolean
    emptyFolders?: readonly string[] | undefined
    mimetypeOf(path: string): string
  },
): PlannedFile[] {
  const faults: FileFault[] = []
  const max = options.directory ? MAX_DIRECTORY_FILES : MAX_ESTIMATED_FILES
  if (files.length === 0) faults.push({ path: '.', problem: 'there is no file to store' })
  if (files.length > max) faults.push({ path: '.', problem: `${files.length} files are more than ${max}` })
  const above = (options.directory ? 1 : 0) + (options.inFolder ? 1 : 0)
  const seen = new Set<string>()
  const planned = files.map(({ path, mimetype, content }) => {
    const names = path.split('/')
    const name = names.at(-1) ?? ''
    const folder = names.slice(0, -1).join('/')
    const source = byteSource(content)
    for (const problem of problemsOf(path, names, source.size)) faults.push({ path, problem })
    const deep = faultOfDepth(folder, above)
    if (deep !== undefined) faults.push({ path, problem: deep })
    if (seen.has(path)) faults.push({ path, problem: 'is there twice' })
    seen.add(path)
    return { path, folder, name, mimetype: mimetype ?? options.mimetypeOf(path), source }
  })
  for (const { path, folder } of planned) {
    if (ancestors(folder).some((one) => seen.has(one))) faults.push({ path, problem: 'its folder is a file too' })
  }
  for (const path of options.emptyFolders ?? []) {
    for (const problem of problemsOf(path, path.split('/'), 0)) faults.push({ path, problem })
    const deep = faultOfDepth(path, above)
    if (deep !== undefined) faults.push({ path, problem: deep })
    if (ancestors(path).some((one) => seen.has(one))) faults.push({ path, problem: 'it, or its folder, is a file too' })
  }
  if (faults.length > 0) throw new InvalidFilesError(faults)
  return planned
}

/** All folders with files and all empty ones; each one after its parent. */
export function foldersOfPlan(files: readonly PlannedFile[], emptyFolders: readonly string[] = []): string[] {
  return [...new Set([...files.map(({ folder }) => folder), ...emptyFolders].flatMap(ancestors))]
}

/** Why the service refuses `folder`, a path, below `above` folders of the account; `undefined` if it does not. Pure. */
export function faultOfDepth(folder: string, above: number): string | undefined {
  const levels = folder === '' ? 0 : folder.split('/').length
  const most = MAX_FOLDER_LEVELS - above
  return levels > most ? `is ${levels} folders deep, and the limit is ${most}` : undefined
}

function ancestors(folder: string): string[] {
  if (folder === '') return []
  const names = folder.split('/')
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

function* problemsOf(path: string, names: readonly string[], size: number): Generator<string> {
  if (!Number.isSafeInteger(size) || size < 0) yield 'its size is not known'
  if (names.some((name) => name === '' || name === '.' || name === '..')) yield 'is no path inside the folder'
  if (names.some((name) => name.length > MAX_NAME)) yield `has a name of more than ${MAX_NAME} characters`
  if (!path.isWellFormed() || /[\p{Cc}\\]/u.test(path)) yield 'has control characters, backslashes or broken Unicode'
}
