import type { Site } from '../../client/types.ts'
import { openAccount } from '../account/open-account.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { siteByIdOrName } from '../site/name-site.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const address = line.words[1]
  const ends = line.has('end')
  if (ends && address !== undefined) throw usageError('Give an address or --end, not both.')
  const { client } = await openAccount(context)
  const site = await siteByIdOrName(client, line.word(0), signal)
  if (ends) {
    await client.sites.endAddress(site.id, { signal })
    const ended = site.address === undefined ? 'The site had no address.' : `${site.address} ended. It stays yours.`
    return { result: resultOf({ ...site, address: undefined, addressUrl: undefined }), text: [ended, site.url] }
  }
  if (address === undefined) {
    return { result: resultOf(site), text: [site.addressUrl ?? `The site has no address, only ${site.url}`] }
  }
  const named = await client.sites.setAddress(site.id, address, { signal })
  const moved =
    site.address === undefined || site.address === named.address ? [] : [`${site.address} leads there for a while.`]
  return { result: resultOf(named), text: [`address  ${named.addressUrl ?? named.url}`, ...moved] }
}

function resultOf({ id, url, address, addressUrl }: Site) {
  return { id, url, address: address ?? null, addressUrl: addressUrl ?? null }
}
