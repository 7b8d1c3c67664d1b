import type { Client } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import { Fields } from '../../client/http/parse-json.ts'
import type { Site } from '../../client/types.ts'
import { askYes, canAsk } from '../run/ask.ts'
import type { Context } from '../run/context.ts'

/** A version of a site: an item that it showed, shows or will show. */
export interface Version {
  number: number
  item: string
}

/**
 * Adds an item to the versions of the site, once, and makes that version the current one. `confirm` is called with the
 * reason if the site would then answer with an error.
 */
export async function showVersion(
  { client, signal }: { client: Client; signal: AbortSignal },
  site: Pick<Site, 'id'>,
  item: string,
  confirm: (fault: string) => Promise<boolean>,
): Promise<Version> {
  const path = `/v0/site/${site.id}/versions`
  const known = (await listVersions(client, site, signal)).find((version) => version.item === item)
  const version =
    known ??
    readVersion(
      (await client.request({ method: 'POST', path, json: { item }, idempotencyKey: `${site.id}-${item}`, signal }))
        .body,
    )
  await makeCurrent(client, site.id, version.number, signal, confirm)
  return version
}

/** Makes a version the current one; `confirm` is called if the site would then answer with an error. */
export async function makeCurrent(
  client: Client,
  site: string,
  version: number,
  signal: AbortSignal,
  confirm: (fault: string) => Promise<boolean>,
): Promise<void> {
  try {
    await client.sites.setCurrent(site, version, { signal })
  } catch (error) {
    const fails = error instanceof ApiError && error.code === 'site_fails'
    if (!fails || !(await confirm(error.message))) throw error
    await client.sites.setCurrent(site, version, { signal, confirm: true })
  }
}

/** Asks whether to show a version that makes the site answer with an error; without a terminal the answer is no. */
export async function confirmFault(context: Context, fault: string): Promise<boolean> {
  if (context.line.has('yes')) return true
  if (!canAsk(context)) return false
  context.output.note(fault)
  return askYes(context, 'Make this version current anyway?', 'Give --yes.')
}

/** All versions, newest first. */
export async function listVersions(client: Client, site: Pick<Site, 'id'>, signal: AbortSignal): Promise<Version[]> {
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
