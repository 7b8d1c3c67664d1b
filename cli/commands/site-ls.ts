import { openAccount } from '../account/open-account.ts'
import { formatTime } from '../output/format-time.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { printList } from '../run/print-list.ts'
import { siteJson } from '../site/name-site.ts'

export async function run(context: Context): Promise<Outcome> {
  const { client } = await openAccount(context)
  return printList(context, client.sites.list({ signal: context.signal }), 'There are no sites.', (site) => {
    const { id, name, url, addressUrl = url, version, createdAt } = site
    const shown = version === undefined ? 'no version' : `version ${version}`
    return { json: siteJson(site), text: [id, shown.padEnd(12), formatTime(createdAt), addressUrl, name].join('  ') }
  })
}
