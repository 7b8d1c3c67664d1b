import { openAccount } from '../account/open-account.ts'
import { askYes } from '../run/ask.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { siteByIdOrName } from '../site/name-site.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const { client } = await openAccount(context)
  const { id, name, url } = await siteByIdOrName(client, line.word(0), signal)
  if (!line.has('yes')) {
    const question = `Delete the site ${JSON.stringify(name)} (${url}) with its versions and domains?`
    if (!(await askYes(context, question, 'Give --yes.'))) throw usageError('Nothing was deleted.')
  }
  await client.sites.delete(id, { signal })
  return { result: { deleted: [id] }, text: [`${id} deleted`, 'The items that it showed stay stored.'] }
}
