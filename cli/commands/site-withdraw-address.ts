import { openAccount } from '../account/open-account.ts'
import { askYes } from '../run/ask.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const address = line.word(0)
  const reason = line.value('reason')
  if (reason === undefined) throw usageError('The reason is missing.', 'Give --reason; the audit log keeps it.')
  const { client } = await openAccount(context)
  const question = `Withdraw the address ${address} for ever? Nobody gets it again.`
  if (!line.has('yes') && !(await askYes(context, question, 'Give --yes.'))) throw usageError('Nothing was withdrawn.')
  await client.sites.withdrawAddress(address, reason, { signal })
  return { result: { withdrawn: address }, text: [`${address} withdrawn. Its site stays on the host of its id.`] }
}
