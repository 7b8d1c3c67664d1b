import { counted } from '../../client/counted.ts'
import { MAX_ESTIMATED_FILES } from '../../contract/limits.ts'
import { parseAmount } from '../../protocol/amount.ts'
import { openService } from '../account/open-account.ts'
import { contentFiles } from '../content/content-files.ts'
import { checked, readContent } from '../content/read-content.ts'
import { checkWebsite, isWebsite } from '../content/website.ts'
import { estimatePrice } from '../pay/estimate-price.ts'
import { findTarget } from '../pay/find-target.ts'
import { readIndexOption } from '../pay/index-option.ts'
import { readWorth } from '../pay/read-worth.ts'
import { coinName, requireTarget } from '../pay/target-name.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const target = requireTarget(line)
  const index = readIndexOption(context)
  const content = await readContent(context, line.word(0), MAX_ESTIMATED_FILES)
  try {
    const website = isWebsite(context, content, target)
    const { client } = await openService(context)
    const facts = await findTarget(client, target, signal)
    checked(content, facts.maxFileBytes)
    if (website) checkWebsite(content, target, facts)
    const place = { to: target, directory: website, index }
    const estimate = await estimatePrice(client, place, contentFiles(content), context)
    if (!estimate) {
      throw new CommandError(EXIT.refused, 'no_estimate', 'The price of these files is known only after the upload.', {
        hint: 'hookline put shows the price before anything is paid.',
      })
    }
    const worth = await readWorth(context, client, facts.paidIn)
    const coin = coinName(facts.paidIn)
    const { amount, networkFee, storageFee, transactions, readAt } = estimate
    const { minutes } = facts
    const result = {
      target,
      website,
      files: content.files.length,
      bytes: content.bytes,
      paidIn: facts.paidIn,
      amount,
      networkFee,
      storageFee,
      transactions,
      readAt,
      minutes,
    }
    const text = [
      `at most  ${amount} ${coin}${worth(parseAmount(amount))}`,
      `of it    ${networkFee} network fee, ${storageFee} storage fee`,
      `takes    ${counted(transactions, 'transaction')}, usually ${timeOf(minutes)}`,
    ]
    return { result, text }
  } finally {
    await content.remove()
  }
}

function timeOf(minutes: number): string {
  if (minutes < 1) return 'less than a minute'
  return minutes < 1.5 ? 'a minute' : `${Math.round(minutes)} minutes`
}
