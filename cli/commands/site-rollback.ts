import type { Client } from '../../client/create-client.ts'
import type { Site } from '../../client/types.ts'
import { openAccount } from '../account/open-account.ts'
import { CommandError, usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { Outcome } from '../run/outcome.ts'
import { siteByIdOrName } from '../site/name-site.ts'
import { confirmFault, makeCurrent } from '../site/show-version.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const wanted = line.words[1]
  if (wanted !== undefined && !/^[1-9]\d{0,8}$/.test(wanted))
    throw usageError(
      `${JSON.stringify(wanted)} is not a version number.`,
      'List the versions with hookline site versions.',
    )
  const { client } = await openAccount(context)
  const site = await siteByIdOrName(client, line.word(0), signal)
  const number = wanted === undefined ? await versionBefore(client, site, signal) : Number(wanted)
  const result = { id: site.id, url: site.url, version: number, before: site.version ?? null }
  if (site.version === number) return { result, text: [`${site.url} shows version ${number} already.`] }
  await makeCurrent(client, site.id, number, signal, (fault) => confirmFault(context, fault))
  return { result, text: [`site     ${site.url}`, `version  ${number}`, 'Visitors see it within a minute.'] }
}

/**
 * The version that was current before the present one.
 * @throws {CommandError} 5 if there was none
 */
async function versionBefore(client: Client, site: Site, signal: AbortSignal): Promise<number> {
  let latest: { number: number; until: number } | undefined
  for await (const { number, periods } of client.sites.versions(site.id, { signal })) {
    for (const { until } of number === site.version ? [] : periods) {
      if (until !== undefined && (!latest || until > latest.until)) latest = { number, until }
    }
  }
  if (latest) return latest.number
  throw new CommandError(EXIT.refused, 'no_version_before', `${site.url} has no earlier version.`, {
    hint: 'List the versions with hookline site versions, and give the number of one.',
  })
}
