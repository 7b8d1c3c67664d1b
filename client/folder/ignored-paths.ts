import ignore, { type Ignore } from 'ignore'
import { HooklineError } from '../http/api-error.ts'

/** Size limit of a `.hooklineignore` file, in bytes. */
const MAX_BYTES = 1 << 20

/** Patterns for a folder and everything below it: gitignore(5). */
export interface IgnoreRules {
  /** Path of the folder relative to the stored one; '' for the stored one itself. */
  below: string
  patterns: Ignore
}

/**
 * The rules for a folder: those of its parents and of its own `.hooklineignore`. Pure.
 * @throws {HooklineError} `invalid_files` if the file is too large; `path` names it
 */
export function rulesWith(
  text: string | undefined,
  { below, path }: { below: string; path: string },
  above: readonly IgnoreRules[],
): IgnoreRules[] {
  if (text === undefined) return [...above]
  if (text.length > MAX_BYTES) throw new HooklineError('invalid_files', `${path} is larger than 1 MiB.`)
  return [...above, { below, patterns: ignore().add(text) }]
}

/** The error for a `.hooklineignore` that cannot be read. Storing the folder anyway could publish what it excludes. */
export function unreadableRules(path: string, cause: unknown): HooklineError {
  return new HooklineError(
    'invalid_files',
    `${path} cannot be read, so it is unknown what to leave out. Make it readable, or delete it.`,
    cause,
  )
}

/** Whether a path is left out. Of several files of patterns, the deepest with a match decides. Pure. */
export function isIgnored(path: string, isFolder: boolean, rules: readonly IgnoreRules[]): boolean {
  for (const { below, patterns } of [...rules].reverse()) {
    const own = below === '' ? path : path.slice(below.length + 1)
    const { ignored, unignored } = patterns.test(isFolder ? `${own}/` : own)
    if (ignored || unignored) return ignored
  }
  return false
}
