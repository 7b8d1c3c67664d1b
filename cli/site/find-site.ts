import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import { Fields } from '../../client/http/parse-json.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import type { Context } from '../run/context.ts'
import { writeWhole } from '../state/write-whole.ts'

/** A site of the account: a name that shows one of its versions. */
export interface Site {
  id: string
  /** Where visitors find it. */
  url: string
}

/**
 * The site to deploy to: the one named, the one that the domain shows, the one that a run before made for this name, or
 * a new one. Its key is kept before it is made, so that a kill makes no second one.
 */
export async function findSite(
  context: Context,
  client: Client,
  { api, name }: { api: URL; name: string },
): Promise<Site> {
  const { line, signal, env } = context
  const given = line.value('site') ?? (await siteOfDomain(context, client))
  if (given !== undefined) return readSite(client, given, signal)
  const scope = createHash('sha256')
    .update(JSON.stringify([api.origin, line.value('domain') ?? name]))
    .digest('hex')
  const path = join(userFolders(env).state, 'sites', `${scope}.json`)
  const kept = await readFile(path, 'utf8').then(
    (text): unknown => JSON.parse(text),
    () => undefined,
  )
  const memory = kept === undefined ? undefined : new Fields(kept, 'The file')
  const id = memory?.optionalString('id')
  if (id !== undefined) {
    try {
      return await readSite(client, id, signal)
    } catch (error) {
      // Deleted by somebody: the next one is made under another key.
      if (!(error instanceof ApiError && error.status === 404)) throw error
    }
  }
  const key = (id === undefined ? memory?.optionalString('key') : undefined) ?? crypto.randomUUID()
  await writeWhole(path, JSON.stringify({ key }))
  const { body } = await client.request({
    method: 'POST',
    path: '/v0/site',
    json: { name },
    idempotencyKey: key,
    signal,
  })
  const site = siteOf(body)
  await writeWhole(path, JSON.stringify({ key, id: site.id }))
  return site
}

async function siteOfDomain({ line, signal }: Context, client: Client): Promise<string | undefined> {
  const host = line.value('domain')
  if (host === undefined) return undefined
  try {
    const { body } = await client.request({ method: 'GET', path: `/v0/domain/${encodeURIComponent(host)}`, signal })
    return new Fields(body, 'The domain').optionalString('site')
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 405)) return undefined
    throw error
  }
}

async function readSite(client: Client, id: string, signal: AbortSignal): Promise<Site> {
  const { body } = await client.request({ method: 'GET', path: `/v0/site/${encodeURIComponent(id)}`, signal })
  return siteOf(body)
}

function siteOf(body: unknown): Site {
  const site = new Fields(body, 'The site')
  return { id: site.string('id'), url: site.string('url') }
}
