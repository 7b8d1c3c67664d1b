import { access, constants, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { decodeText } from '../../protocol/decode-text.ts'
import { HooklineError } from '../http/api-error.ts'
import type { SkippedPath } from './folder-files.ts'
import { type IgnoreRules, isIgnored, rulesWith, unreadableRules } from './ignored-paths.ts'
import { IGNORE_FILE, isDesktopFile, whyLeftOut } from './left-out.ts'

/** A file on this machine. */
export interface LocalFile {
  /** Relative to the folder, with slashes; for a single file its name. */
  path: string
  /** The path to read it from. */
  source: string
  /** Bytes. */
  size: number
  /** True if this user may not read it. Unreadable folders are listed too; their path ends in a slash. */
  unreadable?: boolean
  /** True if its name is not UTF-8; `path` shows its bytes as `\xff`. */
  misnamed?: boolean
}

export interface Listing {
  files: LocalFile[]
  /** Paths of folders below it that contain no listed file, but those that contain only files of the desktop. */
  emptyFolders: string[]
  skipped: SkippedPath[]
}

/**
 * All files of a folder and its empty folders, ordered by path, at most `maxFiles` together, and what is left out.
 * Symbolic links are followed inside the folder only. With `hidden`, names that begin with a dot are included. What
 * `.hooklineignore` matches is left out.
 */
export async function listFolder(
  root: string,
  options: { hidden: boolean; maxFiles: number; signal: AbortSignal },
): Promise<Listing> {
  const listing: Listing = { files: [], emptyFolders: [], skipped: [] }
  await walk(await realpath(root), '', { above: [], rules: [] }, options, listing)
  listing.files.sort((a, b) => (a.path < b.path ? -1 : 1))
  listing.emptyFolders.sort()
  return listing
}

/** Lists a folder. Returns whether there is anything in it, and only files of the desktop. */
async function walk(
  root: string,
  below: string,
  outer: { above: readonly string[]; rules: readonly IgnoreRules[] },
  options: { hidden: boolean; maxFiles: number; signal: AbortSignal },
  listing: Listing,
): Promise<boolean> {
  const { files, emptyFolders, skipped } = listing
  let [desktop, others] = [0, 0]
  const folder = join(root, below)
  const own = await realpath(folder)
  const above = [...outer.above, own]
  const rules = await rulesOf(root, below, outer.rules)
  for (const name of await misnamedIn(folder)) {
    files.push({ path: below === '' ? name : `${below}/${name}`, source: folder, size: 0, misnamed: true })
  }
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry
    options.signal.throwIfAborted()
    // Node replaces invalid UTF-8 by U+FFFD, and no file can be opened by such a name.
    if (name.includes('\ufffd')) continue
    const path = below === '' ? name : `${below}/${name}`
    const skip = (why: string) => skipped.push({ path, why })
    const why = whyLeftOut(name, options.hidden)
    if (isDesktopFile(name)) desktop++
    else others++
    if (why !== undefined) {
      skip(why)
      continue
    }
    // Only a symbolic link can lead outside, and `own` contains none.
    const target = entry.isSymbolicLink() ? await realpath(join(own, name)).catch(() => undefined) : join(own, name)
    if (target === undefined) skip('a link that leads nowhere')
    else if (target !== root && !target.startsWith(root + sep)) skip('a link that leaves the folder')
    else {
      const facts = await stat(target)
      if (isIgnored(path, facts.isDirectory(), rules)) skip(`named in ${IGNORE_FILE}`)
      else if (facts.isDirectory()) {
        if (above.includes(target)) skip('a link that leads in a circle')
        else if (await mayUse(target, constants.R_OK | constants.X_OK)) {
          const before = files.length + emptyFolders.length
          if (await walk(root, path, { above, rules }, options, listing)) {
            desktop++
            others--
          } else if (files.length + emptyFolders.length === before) emptyFolders.push(roomFor(path, listing, options))
        } else files.push({ path: `${path}/`, source: target, size: 0, unreadable: true })
      } else if (!facts.isFile()) skip('neither a file nor a folder')
      else {
        const unreadable = await unreadableOf(target)
        files.push({ path: roomFor(path, listing, options), source: target, size: facts.size, ...unreadable })
      }
    }
  }
  return desktop > 0 && others === 0
}

/**
 * The path, if one more entry is within the limit.
 * @throws {TooManyFilesError}
 */
function roomFor(path: string, { files, emptyFolders }: Listing, { maxFiles }: { maxFiles: number }): string {
  if (files.length + emptyFolders.length >= maxFiles) throw new TooManyFilesError(maxFiles)
  return path
}

/**
 * The ignore rules for a folder on this machine.
 * @throws {HooklineError} `invalid_files`
 */
async function rulesOf(root: string, below: string, above: readonly IgnoreRules[]): Promise<IgnoreRules[]> {
  const path = join(root, below, IGNORE_FILE)
  const bytes = await readFile(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw unreadableRules(path, error)
  })
  return rulesWith(bytes && decodeText(bytes), { below, path }, above)
}

/** Names in a folder that are not UTF-8, with their bytes as `\xff`, or that contain U+FFFD, which looks the same. */
async function misnamedIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { encoding: 'buffer' })
  return names
    .map((name) => [name, name.toString()] as const)
    .flatMap(([bytes, text]) => {
      if (!text.includes('\ufffd')) return []
      const own = Buffer.from(text).equals(bytes)
      return [
        own
          ? text
          : bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`),
      ]
    })
}

/** Whether a file cannot be read, so that this is known before anything is hashed or sent. */
export async function unreadableOf(source: string): Promise<Pick<LocalFile, 'unreadable'>> {
  return (await mayUse(source, constants.R_OK)) ? {} : { unreadable: true }
}

async function mayUse(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode)
    return true
  } catch {
    return false
  }
}

/** Thrown if a folder has more files than one order may have. */
export class TooManyFilesError extends HooklineError {
  override name = 'TooManyFilesError'
  readonly maxFiles: number

  constructor(maxFiles: number) {
    super('invalid_files', `There are more than ${maxFiles} files. Split them into several orders.`)
    this.maxFiles = maxFiles
  }
}
