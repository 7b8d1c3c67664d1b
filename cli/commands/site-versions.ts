import { openAccount } from '../account/open-account.ts'
import { formatTime } from '../output/format-time.ts'
import { formatBytes } from '../output/progress.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { printList } from '../run/print-list.ts'
import { siteByIdOrName } from '../site/name-site.ts'

export async function run(context: Context): Promise<Outcome> {
  const { signal, line } = context
  const { client } = await openAccount(context)
  const site = await siteByIdOrName(client, line.word(0), signal)
  const versions = client.sites.versions(site.id, { signal })
  return printList(context, versions, 'The site has no version yet.', (version) => {
    const { number, item, name, note, size, url, createdAt } = version
    const current = number === site.version
    const text = [
      `${current ? '*' : ' '} ${number}`.padEnd(6),
      item,
      formatBytes(size).padStart(12),
      formatTime(createdAt),
      note ?? name,
    ].join('  ')
    return { json: { number, current, item, name, note: note ?? null, size, url, createdAt }, text }
  })
}
