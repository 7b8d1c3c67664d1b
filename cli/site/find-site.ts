import { createHash } from 'node:crypto'
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

/** Where a folder is deployed to: a site, or a new one of this name. */
export interface Destination {
  site: Site | undefined
  name: string
  /** Somebody was asked: the answer is kept in the folder. */
  asked: boolean
}

/** Says before any request whether it can be known which site is meant. @throws {CommandError} 2 */
export async function requireSite(context: Context, folder: string): Promise<void> {
  const { line } = context
  if (line.has('site') || line.has('domain') || canAsk(context) || (await readSiteFile(folder))) return
  throw unnamed()
}

/**
 * The site that is meant: that of --site, else the one that the domain shows, else that of the folder's `.hookline.json`,
 * else what a person answers. Found before anything is paid.
 * @throws {CommandError} 2 where nobody says, or several have the name; {ApiError} 404 for an id that is none
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
      `The .hookline.json of the folder names a site of ${kept.api}, and this is ${api.origin}.`,
      'Give --site with the id or the name of a site here, or --api.',
    )
  }
  if (kept) return { ...(await destinationOf(client, kept.site, signal)), asked: false }
  if (!canAsk(context)) throw unnamed()
  const question = `Name or id of the site to deploy to (a name that none has makes a new one, such as ${suggestion})`
  const answer = (await askText(context, question, 'Give --site.')).trim()
  return { ...(await destinationOf(client, answer, signal)), asked: true }
}

const unnamed = () =>
  usageError(
    'It is not said which site this is.',
    'Give --site with its id or its name (a name that none has makes a new site), or put {"api": "…", "site": "…"} into .hookline.json of the folder.',
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

/** The site, made now where there is none yet; its key is kept before that, so that a kill makes no second one. */
export async function openSite(
  { env, signal }: Context,
  client: Client,
  { api, destination }: { api: URL; destination: Destination },
): Promise<Site> {
  const { site, name } = destination
  if (site) return site
  const scope = createHash('sha256')
    .update(JSON.stringify([api.origin, name]))
    .digest('hex')
  const path = join(userFolders(env).state, 'sites', `${scope}.json`)
  const kept = await readFile(path, 'utf8').then(
    (text): unknown => JSON.parse(text),
    () => undefined,
  )
  const memory = kept === undefined ? undefined : new Fields(kept, 'The file')
  // A site that was made by it was deleted or renamed since: the next one is made under another key.
  const open = memory?.optionalString('id') === undefined ? memory?.optionalString('key') : undefined
  const idempotencyKey = open ?? crypto.randomUUID()
  await writeWhole(path, JSON.stringify({ key: idempotencyKey }))
  const made = await client.sites.create({ name }, { idempotencyKey, signal })
  await writeWhole(path, JSON.stringify({ key: idempotencyKey, id: made.id }))
  return made
}

/** Refuses a --domain that could not be claimed whatever its DNS says. @throws {ApiError} */
export async function requireDomain({ line, signal }: Context, client: Client): Promise<void> {
  const host = line.value('domain')
  if (host === undefined) return
  try {
    await client.domains.checkClaim(host, { signal })
  } catch (error) {
    // An older service says it only when the host is claimed.
    if (!(error instanceof ApiError && (error.status === 404 || error.status === 405))) throw error
  }
}

async function siteOfDomain({ line, signal }: Context, client: Client): Promise<string | undefined> {
  const host = line.value('domain')
  if (host === undefined) return undefined
  try {
    return (await client.domains.get(host, { signal })).site
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 405)) return undefined
    throw error
  }
}
