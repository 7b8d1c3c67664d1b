import { openAccount } from '../account/open-account.ts'
import { formatTime } from '../output/format-time.ts'
import { formatBytes } from '../output/progress.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { siteByIdOrName } from '../site/name-site.ts'

export async function run(context: Context): Promise<Outcome> {
  const { output, signal, line } = context
  const { client } = await openAccount(context)
  const site = await siteByIdOrName(client, line.word(0), signal)
  let count = 0
  for await (const version of client.sites.versions(site.id, { signal })) {
    const { number, item, name, note, size, url, createdAt } = version
    const current = number === site.version
    const text = [
      `${current ? '*' : ' '} ${number}`.padEnd(6),
      item,
      formatBytes(size).padStart(12),
      formatTime(createdAt),
      note ?? name,
    ].join('  ')
    await output.entry({ number, current, item, name, note: note ?? null, size, url, createdAt }, text)
    count++
  }
  if (count === 0) output.note('The site has no version yet.')
  return { result: null }
}
