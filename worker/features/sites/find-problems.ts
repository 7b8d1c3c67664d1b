import type { SiteProblem } from '../../../contract/item.ts'
import { MAX_SITE_FILE_BYTES } from '../../../contract/limits.ts'
import type { SiteFiles } from '../../../contract/site.ts'
import { parseCid } from '../../../protocol/cid.ts'
import { itemBlocks } from '../../content/ipfs/blocks/item-blocks.ts'
import { openBudget } from '../../content/ipfs/blocks/open-blocks.ts'
import { openDag } from '../../content/ipfs/dag/dag-source.ts'
import { readRedirectsText } from '../../content/ipfs/gateway/find-redirect.ts'
import { readRedirectsFile, redirectsTooLarge } from '../../content/ipfs/gateway/redirects.ts'
import type { Env } from '../../platform/bindings.ts'
import { AppError } from '../../platform/http/errors.ts'
import { requireItem } from '../items/require-item.ts'
import { readHeadersText } from './find-ipfs-page.ts'
import { headersTooLarge, readHeadersFile } from './site-headers.ts'

/** Faulty lines that are returned, of both files together. */
const MAX_PROBLEMS = 100
/** Characters of a line that are returned. */
const MAX_TEXT = 500

/**
 * What is wrong with the `_headers` and `_redirects` of the caller's directory, found by the code that hosts obey them
 * with; nothing for an item that has neither. It can be called before the item is paid.
 * @throws {AppError} 404, 409 before its merge, and what reading its blocks throws.
 */
export async function findProblems(env: Pick<Env, 'DB' | 'BUCKET'>, userId: string, id: string): Promise<Found> {
  const item = await requireItem(env.DB, userId, id)
  if (item.state === 'uploading' || item.state === 'merging') {
    throw new AppError(409, 'not_merged', 'This item is not merged yet. Ask again when it is.')
  }
  const root = item.directoryOf === null ? undefined : parseCid(item.cid ?? '')
  if (!root) return { problems: [], more: false }
  const budget = openBudget()
  const source = openDag(itemBlocks(env.BUCKET, id, budget))
  const found = await problemsOfBoth(
    () => readHeadersText(source, root),
    async () => (await readRedirectsText({ source, root })) ?? '',
  )
  budget.rest()
  return found
}

/** The same for files that are not sent yet, as text. */
export async function findProblemsOf({ headers = '', redirects = '' }: SiteFiles): Promise<Found> {
  return await problemsOfBoth(
    async () => {
      if (Buffer.byteLength(headers) > MAX_SITE_FILE_BYTES) throw headersTooLarge()
      return headers
    },
    async () => {
      if (Buffer.byteLength(redirects) > MAX_SITE_FILE_BYTES) throw redirectsTooLarge()
      return redirects
    },
  )
}

interface Found {
  problems: SiteProblem[]
  more: boolean
}

async function problemsOfBoth(headers: () => Promise<string>, redirects: () => Promise<string>): Promise<Found> {
  const problems = [
    ...(await problemsOf('_headers', async () => readHeaders(await headers()))),
    ...(await problemsOf('_redirects', async () => readRedirects(await redirects()))),
  ]
  return { problems: problems.slice(0, MAX_PROBLEMS), more: problems.length > MAX_PROBLEMS }
}

/** An error that makes the whole file fail is one of its problems, too. */
async function problemsOf(file: SiteProblem['file'], read: () => Promise<SiteProblem[]>): Promise<SiteProblem[]> {
  try {
    return await read()
  } catch (error) {
    const own = error instanceof AppError && ['invalid_headers_file', 'invalid_redirects'].includes(error.code)
    if (!own) throw error
    return [{ file, line: 0, text: '', fault: error.message, effect: 'fails' }]
  }
}

function readHeaders(text: string): SiteProblem[] {
  return readHeadersFile(text).faults.map(({ line, text: written, problem, effect }) => ({
    file: '_headers',
    line,
    text: written.slice(0, MAX_TEXT),
    fault: effect === 'ignored' ? `This line ${problem}. Remove it.` : `This line ${problem}.`,
    effect,
  }))
}

function readRedirects(text: string): SiteProblem[] {
  return readRedirectsFile(text).faults.map(({ line, text: written, problem, whole }) => ({
    file: '_redirects',
    line,
    text: written.slice(0, MAX_TEXT),
    fault: whole ? `There are ${problem}.` : `This line is not a rule: ${problem}.`,
    effect: 'fails',
  }))
}
