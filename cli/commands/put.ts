import { MAX_ESTIMATED_FILES } from '../../contract/limits.ts'
import { openAccount } from '../account/open-account.ts'
import { readContent, requireContent } from '../content/read-content.ts'
import { isWebsite } from '../content/website.ts'
import { orderOutcome } from '../items/order-outcome.ts'
import { storeContent } from '../items/store-content.ts'
import { readMaxFee, requireLimit } from '../pay/confirm-price.ts'
import { readIndexOption } from '../pay/index-option.ts'
import { requireTarget } from '../pay/target-name.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { noteFaults } from '../site/site-faults.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, env } = context
  if (line.word(0) !== '-') await requireContent(line.word(0))
  const target = requireTarget(line)
  readMaxFee(context)
  requireLimit(context)
  const index = readIndexOption(context)
  const content = await readContent(context, line.word(0), MAX_ESTIMATED_FILES)
  try {
    const website = isWebsite(context, content, target)
    const account = await openAccount(context)
    const report = await storeContent(context, account, content, {
      target,
      website,
      linkKnown: false,
      wait: line.has('wait'),
      index,
      acceptFaults: (found) => noteFaults(context, found),
    })
    return orderOutcome(report, env)
  } finally {
    await content.remove()
  }
}
