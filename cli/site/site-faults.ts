import { describeProblem } from '../../client/store/check-order.ts'
import type { SiteProblems } from '../../client/types.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { confirmFault } from './show-version.ts'

/** Prints the faults in the `_headers` and `_redirects` of a folder that may never become a site. */
export function noteFaults({ output }: Context, { problems, more }: SiteProblems): true {
  for (const problem of problems) output.note(describeProblem(problem))
  if (more) output.note('There are more faults.')
  return true
}

/**
 * Asks whether to go on with a site that would answer with an error; ignored lines are printed.
 * @throws {CommandError} 5 with every fault if the answer is no
 */
export async function acceptFaults(context: Context, found: SiteProblems): Promise<boolean> {
  const failing = found.problems.filter(({ effect }) => effect === 'fails')
  noteFaults(context, { problems: found.problems.filter(({ effect }) => effect === 'ignored'), more: false })
  const [first] = failing
  if (!first) return true
  const message = `The site would answer with an error. ${describeProblem(first)}`
  if (await confirmFault(context, message)) return true
  throw new CommandError(EXIT.refused, 'site_fails', `${message} Nothing was sent or paid.`, {
    hint: 'Correct the file, or give --yes to show the site anyway.',
    problems: failing.slice(1).map(describeProblem),
  })
}
