import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { HooklineError } from '../http/api-error.ts'

/** What it is called, in a folder that is stored and in those below it. */
export const IGNORE_FILE = '.hooklineignore'

/** Bytes of the largest file of patterns that is read. */
const MAX_BYTES = 1 << 20

/** Patterns that hold for a folder and what is below it: gitignore(5). */
export interface IgnoreRules {
  /** Path of the folder, within the one that is stored; '' for that itself. */
  below: string
  patterns: Ignore
}

/** The rules for a folder: those of the folders above and, where it has a file of its own, that. @throws {HooklineError} `invalid_files` */
export async function rulesOf(root: string, below: string, above: readonly IgnoreRules[]): Promise<IgnoreRules[]> {
  const path = join(root, below, IGNORE_FILE)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new HooklineError('invalid_files', `${path} cannot be read, so nobody knows what is to be left out.`, error)
  })
  if (text === undefined) return [...above]
  if (text.length > MAX_BYTES) throw new HooklineError('invalid_files', `${path} is larger than 1 MiB.`)
  return [...above, { below, patterns: ignore().add(text) }]
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
