import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import { Fields } from '../../client/http/parse-json.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import type { Site } from '../../client/types.ts'
import { askText, canAsk } from '../run/ask.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { OBJECT_ID } from '../run/object-id.ts'
import { writeWhole } from '../state/write-whole.ts'
import { ambiguous, sitesOfName } from './name-site.ts'
import { readSiteFile } from './site-file.ts'

/** The site to deploy to: an existing one, or a new one with this name. */
export interface Destination {
  site: Site | undefined
  name: string
  /** A person chose it: the choice is stored in the folder. */
  asked: boolean
}

/**
 * Checks before any request that the site can be determined.
 * @throws {CommandError} 2
 */
export async function requireSite(context: Context, folder: string): Promise<void> {
  const { line } = context
  if (line.has('site') || line.has('domain') || canAsk(context) || (await readSiteFile(folder))) return
  throw unnamed()
}

/**
 * The site to deploy to: from --site, else the one that the domain shows, else the one in the folder's
 * `.hookline.json`, else the person's choice. Determined before anything is paid.
 * @throws {CommandError} 2 if there is nobody to ask, or if several sites have the name; {ApiError} 404 for an unknown
 * id
 */
export async function chooseSite(
  context: Context,
  client: Client,
  { api, folder, suggestion }: { api: URL; folder: string; suggestion: string },
): Promise<Destination> {
  const { line, signal } = context
  const given = line.value('site') ?? (await siteOfDomain(context, client))
  if (given !== undefined) return { ...(await destinationOf(client, given, signal)), asked: false }
  const kept = await readSiteFile(folder)
  if (kept && kept.api !== api.origin) {
    throw usageError(
      `The .hookline.json of the folder names a site of ${kept.api}, but this is ${api.origin}.`,
      'Give --site with the id or the name of a site here, or --api.',
    )
  }
  if (kept) return { ...(await destinationOf(client, kept.site, signal)), asked: false }
  if (!canAsk(context)) throw unnamed()
  const question = `Name or id of the site to deploy to (a new name, such as ${suggestion}, creates a site)`
  const answer = (await askText(context, question, 'Give --site.')).trim()
  return { ...(await destinationOf(client, answer, signal)), asked: true }
}

const unnamed = () =>
  usageError(
    'The site to deploy to is missing.',
    'Give --site with its id or its name (a new name creates a site), or put {"api": "…", "site": "…"} into .hookline.json of the folder.',
  )

async function destinationOf(client: Client, word: string, signal: AbortSignal): Promise<Omit<Destination, 'asked'>> {
  if (OBJECT_ID.test(word)) {
    const site = await client.sites.get(word, { signal })
    return { site, name: site.name }
  }
  const found = await sitesOfName(client, word, signal)
  if (found.length > 1) throw ambiguous(word, found)
  return { site: found[0], name: word }
}

/**
 * The site, created now if it is new. Its idempotency key is stored first, so that a kill cannot create a second one.
 */
export async function openSite(
  { env, signal }: Context,
  client: Client,
  { api, destination }: { api: URL; destination: Destination },
): Promise<Site> {
  const { site, name } = destination
  if (site) return site
  const scope = hash('sha256', JSON.stringify([api.origin, name]))
  const path = join(userFolders(env).state, 'sites', `${scope}.json`)
  const kept = await readFile(path, 'utf8').then(
    (text): unknown => JSON.parse(text),
    () => undefined,
  )
  const memory = kept === undefined ? undefined : new Fields(kept, 'The file')
  // The site of that key was deleted or renamed since; the next one needs another key.
  const open = memory?.optionalString('id') === undefined ? memory?.optionalString('key') : undefined
  const idempotencyKey = open ?? crypto.randomUUID()
  await writeWhole(path, JSON.stringify({ key: idempotencyKey }))
  const made = await client.sites.create({ name }, { idempotencyKey, signal })
  await writeWhole(path, JSON.stringify({ key: idempotencyKey, id: made.id }))
  return made
}

/**
 * Rejects a --domain that could not be claimed regardless of its DNS.
 * @throws {ApiError}
 */
export async function requireDomain({ line, signal }: Context, client: Client): Promise<void> {
  const host = line.value('domain')
  if (host !== undefined) await client.domains.checkClaim(host, { signal })
}

async function siteOfDomain({ line, signal }: Context, client: Client): Promise<string | undefined> {
  const host = line.value('domain')
  if (host === undefined) return undefined
  try {
    return (await client.domains.get(host, { signal })).site
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}
