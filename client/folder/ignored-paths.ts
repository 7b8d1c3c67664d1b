import ignore, { type Ignore } from 'ignore'
import { HooklineError } from '../http/api-error.ts'

/** Bytes of the largest file of patterns that is read. */
const MAX_BYTES = 1 << 20

/** Patterns that hold for a folder and what is below it: gitignore(5). */
export interface IgnoreRules {
  /** Path of the folder, within the one that is stored; '' for that itself. */
  below: string
  patterns: Ignore
}

/**
 * The rules for a folder: those of the folders above and, where it has a file of patterns, that. Pure.
 * @throws {HooklineError} `invalid_files` for a file that is too large; `path` names it
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

/** Thrown where a file of patterns cannot be read: nobody knows what is to be left out. */
export function unreadableRules(path: string, cause: unknown): HooklineError {
  return new HooklineError('invalid_files', `${path} cannot be read, so nobody knows what is to be left out.`, cause)
}

/** Whether a path is left out; of several files of patterns the deepest that says something counts. Pure. */
export function isIgnored(path: string, isFolder: boolean, rules: readonly IgnoreRules[]): boolean {
  for (const { below, patterns } of [...rules].reverse()) {
    const own = below === '' ? path : path.slice(below.length + 1)
    const { ignored, unignored } = patterns.test(isFolder ? `${own}/` : own)
    if (ignored || unignored) return ignored
  }
  return false
}
