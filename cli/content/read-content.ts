import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { SkippedPath } from '../../client/folder/folder-files.ts'
import {
  type Listing,
  type LocalFile,
  listFolder,
  TooManyFilesError,
  unreadableOf,
} from '../../client/folder/list-folder.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import { mediaTypeOf } from '../../reader/media-type-of.ts'
import { CommandError, usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { checkMediaType, withCharsetOf } from './media-type.ts'
import { spoolStdin } from './spool-stdin.ts'

/** The local content of a put, validated. */
export interface Content {
  kind: 'file' | 'folder'
  name: string
  /** The folder or file on this machine. */
  root: string
  files: ContentFile[]
  /** Paths of folders below it that contain no stored file. */
  emptyFolders: readonly string[]
  skipped: SkippedPath[]
  bytes: number
  /** Removes the temporary copy of stdin. */
  remove: () => Promise<void>
}

interface ContentFile extends LocalFile {
  mimetype: string
}

/**
 * The stats of a file or folder.
 * @throws {CommandError} 2 if there is none
 */
export async function requireContent(what: string): Promise<Stats> {
  const facts = await stat(resolve(what)).catch(() => undefined)
  if (!facts) throw usageError(`There is no file or folder ${JSON.stringify(what)}.`)
  return facts
}

/**
 * Lists the content that `what` names and validates all of it before anything is sent. Every fault is reported at once.
 * @throws {CommandError} 2
 */
export async function readContent(context: Context, what: string, maxFiles: number): Promise<Content> {
  const { line } = context
  const given = line.value('mimetype')
  const mimetype = given === undefined ? undefined : checkMediaType(given)
  if (what === '-') return readStdin(context, mimetype)
  const source = resolve(what)
  const facts = await requireContent(what)
  const name = line.value('name') ?? basename(source)
  const remove = async () => undefined
  if (facts.isFile()) {
    const type = await withCharsetOf(mimetype ?? mediaTypeOf(basename(source)), { source, size: facts.size })
    const file = { path: name, source, size: facts.size, mimetype: type, ...(await unreadableOf(source)) }
    const about = { kind: 'file' as const, name, root: source, emptyFolders: [], skipped: [] }
    return checked({ ...about, files: [file], bytes: facts.size, remove })
  }
  if (!facts.isDirectory())
    throw usageError(`${JSON.stringify(what)} is neither a file nor a folder.`, 'Give - to read stdin.')
  if (mimetype !== undefined) throw usageError('--mimetype is for a single file; the files of a folder have their own.')
  if ((await unreadableOf(source)).unreadable) throw usageError(`${what}: you have no permission to read it.`)
  const { files, emptyFolders, skipped } = await chooseFiles(context, source, what, maxFiles)
  if (files.length === 0) throw usageError(`${what} contains no file to store.`, skippedHint(skipped))
  const typed: ContentFile[] = []
  for (const file of files) typed.push({ ...file, mimetype: await withCharsetOf(mediaTypeOf(file.path), file) })
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const content: Content = { kind: 'folder', name, root: source, files: typed, emptyFolders, skipped, bytes, remove }
  return checked(content)
}

/**
 * The files of a folder that a put would store.
 * @throws {CommandError} 2 if there are more than the limit
 */
export async function chooseFiles(
  { line, signal }: Pick<Context, 'line' | 'signal'>,
  folder: string,
  what: string,
  maxFiles: number,
): Promise<Listing> {
  try {
    return await listFolder(folder, { hidden: line.has('hidden'), maxFiles, signal })
  } catch (error) {
    if (!(error instanceof TooManyFilesError)) throw error
    throw usageError(
      `${what} has more than ${error.maxFiles.toLocaleString('en')} files. That is too many for one order.`,
      'Store parts of it.',
    )
  }
}

async function readStdin(context: Context, mimetype: string | undefined): Promise<Content> {
  const name = context.line.value('name')
  if (name === undefined) throw usageError('Content from stdin needs a name.', 'Give --name, such as --name notes.txt.')
  const fault = faultOfName(name)
  if (fault) throw usageError(`${name}: ${fault}.`)
  if (context.stdin.isTTY) throw usageError('stdin is a terminal; there is nothing to read.')
  const { source, remove } = await spoolStdin(context, userFolders(context.env).state)
  const { size } = await stat(source)
  const type = await withCharsetOf(mimetype ?? mediaTypeOf(name), { source, size })
  const files = [{ path: name, source, size, mimetype: type }]
  const about = { kind: 'file' as const, name, root: source, emptyFolders: [], skipped: [] }
  return checked({ ...about, files, bytes: size, remove })
}

/** The content, if each file has at most `maxBytes`. @throws {CommandError} 2 with a sentence for each fault */
export function checked(content: Content, maxBytes?: number): Content {
  const problems: string[] = []
  const rootFault = faultOfName(content.name)
  if (rootFault && content.kind === 'folder') problems.push(`${content.name}: ${rootFault}.`)
  for (const { path, size, unreadable, misnamed } of content.files) {
    if (misnamed) {
      problems.push(`${path}: its name is not valid UTF-8.`)
      continue
    }
    for (const part of path.replace(/\/$/, '').split('/')) {
      const fault = faultOfName(part)
      if (fault) problems.push(`${path}: ${fault}.`)
    }
    if (unreadable) problems.push(`${path}: you have no permission to read it.`)
    if (maxBytes !== undefined && size > maxBytes) {
      problems.push(
        `${path}: it has ${size.toLocaleString('en')} bytes, and the limit is ${maxBytes.toLocaleString('en')}.`,
      )
    }
  }
  for (const path of content.emptyFolders) {
    const fault = faultOfName(path.slice(path.lastIndexOf('/') + 1))
    if (fault) problems.push(`${path}: ${fault}.`)
  }
  if (problems.length === 0) return content
  throw faulty(problems)
}

/** The error for what is wrong with the files of a content, a sentence for each. */
export function faulty(problems: string[]): CommandError {
  const [first = ''] = problems
  if (problems.length === 1) return usageError(first)
  return new CommandError(EXIT.usage, 'usage', `${problems.length} files cannot be stored; nothing was sent.`, {
    problems,
  })
}

function skippedHint(skipped: readonly SkippedPath[]): string | undefined {
  return skipped.length === 0 ? undefined : describeSkipped(skipped).join(' ')
}

/** Most paths that are listed in text; --json lists all. */
const MAX_NAMED = 20

/** A line with the count, and one for each path that is left out. */
export function describeSkipped(skipped: readonly SkippedPath[]): string[] {
  if (skipped.length === 0) return []
  const named = skipped.slice(0, MAX_NAMED).map(({ path, why }) => `  ${path}: ${why}`)
  const more = skipped.length - named.length
  return [
    `${skipped.length} left out:`,
    ...named,
    ...(more > 0 ? [`  and ${more} more; --json lists all of them.`] : []),
  ]
}

/** The fault in a name of an item or a folder, worded as by the service; `undefined` if there is none. */
function faultOfName(name: string): string | undefined {
  if (name === '' || name.length > 255) return 'its name must have 1 to 255 characters'
  if (name === '.' || name === '..') return 'its name may not be . or ..'
  if (/[\p{Cc}/\\]/u.test(name)) return 'its name has control characters or backslashes'
  if (/\p{Cs}/u.test(name) || name.includes('\ufffd')) return 'its name is not valid Unicode'
  return undefined
}
