import type { Client } from '../../client/create-client.ts'
import { Fields } from '../../client/http/parse-json.ts'
import type { Site } from './find-site.ts'

/** A version of a site: an item that it showed, shows or will show. */
export interface Version {
  number: number
  item: string
}

/** Makes an item a version of the site, once, and makes that version the one that visitors see. */
export async function showVersion(client: Client, site: Site, item: string, signal: AbortSignal): Promise<Version> {
  const path = `/v0/site/${site.id}/versions`
  const known = (await listVersions(client, site, signal)).find((version) => version.item === item)
  const version =
    known ??
    readVersion(
      (await client.request({ method: 'POST', path, json: { item }, idempotencyKey: `${site.id}-${item}`, signal }))
        .body,
    )
  const current = {
    method: 'PUT',
    path: `/v0/site/${site.id}/current`,
    json: { version: version.number },
    repeatable: true,
  } as const
  await client.request({ ...current, signal })
  return version
}

/** All versions, the newest first. */
export async function listVersions(client: Client, site: Site, signal: AbortSignal): Promise<Version[]> {
  const versions: Version[] = []
  let cursor: string | undefined
  do {
    const path = `/v0/site/${site.id}/versions`
    const { body } = await client.request({ method: 'GET', path, query: { cursor }, signal })
    const page = new Fields(body, 'The versions')
    versions.push(...page.list('versions', readVersion))
    cursor = page.optionalString('cursor')
  } while (cursor !== undefined)
  return versions
}

function readVersion(value: unknown): Version {
  const version = new Fields(value, 'The version')
  return { number: version.number('number'), item: version.string('item') }
}
