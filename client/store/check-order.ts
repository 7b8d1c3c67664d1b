import { MAX_SITE_FILE_BYTES } from '../../contract/limits.ts'
import { decodeText } from '../../protocol/decode-text.ts'
import { ApiError, HooklineError } from '../http/api-error.ts'
import type { CallOptions } from '../resources/call-options.ts'
import type { Profile, SiteProblems } from '../types.ts'
import { readSlice } from './byte-source.ts'
import type { PlannedFile } from './put-plan.ts'

/** What an order adds to an account: items and folders, and bytes of the items. */
export interface Added {
  items: number
  bytes: number
  folders: number
}

/** The quota of folders that no payment raises. */
const FOLDERS = 'folders that no file is in'

/**
 * Compares what an order adds with the quotas of the account. Pure.
 * @throws {HooklineError} `quota_exceeded`
 */
export function checkQuotas({ unpaidItems, unpaidBytes, folders }: Profile['quotas'], added: Added): void {
  const asked = [
    [unpaidItems, added.items, 'items that are not paid for'],
    [unpaidBytes, added.bytes, 'bytes in items that are not paid for'],
    [folders, added.folders, FOLDERS],
  ] as const
  for (const [{ limit, used }, more, what] of asked) {
    if (more === 0 || used + more <= limit) continue
    const raised = what === FOLDERS ? '' : 'pay into your balance first, which may raise it, '
    const message = `An account may have ${limit} ${what}; you have ${used}, and this adds ${more}. Nothing was sent. You can ${raised}pay for or delete some first, or send less at once.`
    throw new HooklineError('quota_exceeded', message)
  }
}

/** Asks the service for faults in the files that configure a site. */
export type RequestProblems = (
  files: { headers?: string | undefined; redirects?: string | undefined },
  options: CallOptions,
) => Promise<SiteProblems>

/**
 * Checks the `_headers` and `_redirects` of a directory. `accept` receives every fault and returns whether to go on
 * although a site of this directory would answer with an error.
 * @throws {HooklineError} `site_fails` if it returns false
 */
export async function checkSiteFiles(
  ask: RequestProblems,
  files: readonly PlannedFile[],
  accept: ((found: SiteProblems) => boolean | Promise<boolean>) | undefined,
  { signal }: CallOptions,
): Promise<void> {
  const [headers, redirects] = [await textOf(files, '_headers'), await textOf(files, '_redirects')]
  if (headers === undefined && redirects === undefined) return
  const found = await ask({ headers, redirects }, { signal }).catch((error: unknown) => {
    // A key may lack the scope.
    if (error instanceof ApiError && error.status === 403) return undefined
    throw error
  })
  if (!found || found.problems.length === 0) return
  const accepted = await accept?.(found)
  const failing = found.problems.filter(({ effect }) => effect === 'fails')
  const [first] = failing
  if (!first || accepted) return
  const more = failing.length > 1 ? ` There are ${failing.length - 1} more.` : ''
  throw new HooklineError('site_fails', `${describeProblem(first)}${more} Nothing was sent.`)
}

/** A fault with its file and line, as a sentence. */
export function describeProblem({ file, line, fault }: SiteProblems['problems'][number]): string {
  return `${file}${line === 0 ? '' : ` line ${line}`}: ${fault}`
}

/** The text of a file at the root of the directory; of one that is too large, a text that is, too. */
async function textOf(files: readonly PlannedFile[], path: string): Promise<string | undefined> {
  const file = files.find((one) => one.path === path)
  if (!file) return undefined
  const { size } = file.source
  if (size > MAX_SITE_FILE_BYTES) return '#'.repeat(MAX_SITE_FILE_BYTES + 1)
  return decodeText(await readSlice(file.source, 0, size))
}
