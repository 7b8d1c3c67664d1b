import { openAccount } from '../account/open-account.ts'
import { confirmDeletion } from '../run/ask.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { siteByIdOrName } from '../site/name-site.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const { client } = await openAccount(context)
  const { id, name, url } = await siteByIdOrName(client, line.word(0), signal)
  await confirmDeletion(context, `Delete the site ${JSON.stringify(name)} (${url}) with its versions and domains?`)
  await client.sites.delete(id, { signal })
  return { result: { deleted: [id] }, text: [`${id} deleted`, 'The items that it showed stay stored.'] }
}
