import type { SiteProblem } from '../../../contract/item.ts'
import type { Env } from '../../platform/bindings.ts'
import { AppError } from '../../platform/http/errors.ts'

type Deps = Pick<Env, 'DB' | 'BUCKET'>

/**
 * Refuses to show an item whose `_headers` or `_redirects` make the site answer 500, until whoever asks has confirmed that.
 * @throws {AppError} 409 with the faulty lines, and what reading the item's blocks throws.
 */
export async function refuseFailing(env: Deps, userId: string, itemId: string): Promise<void> {
  const failing = await findFailing(env, userId, itemId)
  const [first] = failing
  if (!first) return
  const where = first.line === 0 ? first.file : `${first.file}, line ${first.line}`
  const message = `The site would answer 500 because of ${where}: ${first.fault} Put it right, or send "confirm": true to show it all the same.`
  throw new AppError(409, 'site_fails', message, { details: { problems: failing } })
}

/** The lines of an item that make a site answer 500. @throws {AppError} what reading the item's blocks throws. */
export async function findFailing(env: Deps, userId: string, itemId: string): Promise<SiteProblem[]> {
  const { findProblems } = await import('./find-problems.ts')
  const { problems } = await findProblems(env, userId, itemId)
  return problems.filter(({ effect }) => effect === 'fails')
}
