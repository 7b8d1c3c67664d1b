import type { Client } from '../../client/create-client.ts'
import type { Site } from '../../client/types.ts'
import { CommandError } from '../run/command-error.ts'
import { EXIT } from '../run/exit-codes.ts'
import { OBJECT_ID } from '../run/object-id.ts'

/**
 * The site with this id or exact name.
 * @throws {CommandError} 5 if there is none, 2 for several of one name, with their ids
 */
export async function siteByIdOrName(client: Client, word: string, signal: AbortSignal): Promise<Site> {
  if (OBJECT_ID.test(word)) return client.sites.get(word, { signal })
  const found = await sitesOfName(client, word, signal)
  const [only] = found
  if (!only) {
    const message = `You have no site named ${JSON.stringify(word)}.`
    throw new CommandError(EXIT.refused, 'not_found', message, { hint: 'List your sites with hookline site ls.' })
  }
  if (found.length > 1) throw ambiguous(word, found)
  return only
}

/** All sites of the account with exactly this name. */
export async function sitesOfName(client: Client, name: string, signal: AbortSignal): Promise<Site[]> {
  const found: Site[] = []
  for await (const site of client.sites.list({ name, signal })) found.push(site)
  return found
}

/** @throws {CommandError} 2 with the id and address of each */
export function ambiguous(name: string, sites: readonly Pick<Site, 'id' | 'url'>[]): CommandError {
  const problems = sites.map(({ id, url }) => `${id}  ${url}`)
  return new CommandError(
    EXIT.usage,
    'site_ambiguous',
    `You have ${sites.length} sites named ${JSON.stringify(name)}.`,
    {
      hint: 'Give the id of one of them.',
      problems,
    },
  )
}

/** A site in the JSON output. */
export function siteJson({ id, name, host, url, address, addressUrl, version, item, versions, createdAt }: Site) {
  const names = { address: address ?? null, addressUrl: addressUrl ?? null }
  return { id, name, host, url, ...names, version: version ?? null, item: item ?? null, versions, createdAt }
}
