import { openAccount } from '../account/open-account.ts'
import { formatTime } from '../output/format-time.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { siteJson } from '../site/name-site.ts'

export async function run(context: Context): Promise<Outcome> {
  const { output, signal } = context
  const { client } = await openAccount(context)
  let count = 0
  for await (const site of client.sites.list({ signal })) {
    const { id, name, url, version, createdAt } = site
    const shown = version === undefined ? 'no version' : `version ${version}`
    await output.entry(siteJson(site), [id, shown.padEnd(12), formatTime(createdAt), url, name].join('  '))
    count++
  }
  if (count === 0) output.note('There are no sites.')
  return { result: null }
}
