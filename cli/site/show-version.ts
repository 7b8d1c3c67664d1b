import type { Client } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import type { Site, SiteVersion } from '../../client/types.ts'
import { askYes, canAsk } from '../run/ask.ts'
import type { Context } from '../run/context.ts'

interface Deps {
  client: Client
  signal: AbortSignal
}

/**
 * Adds an item to the versions of the site, once, and makes that version the current one. `confirm` is called with the
 * reason if the site would then answer with an error.
 */
export async function showVersion(
  { client, signal }: Deps,
  site: Pick<Site, 'id'>,
  item: string,
  confirm: (fault: string) => Promise<boolean>,
): Promise<SiteVersion> {
  const version = await addVersion({ client, signal }, site, item)
  await makeCurrent(client, site.id, version.number, signal, confirm)
  return version
}

/** Adds a stored item to the versions of the site, once. What is current stays so. */
export async function addVersion({ client, signal }: Deps, site: Pick<Site, 'id'>, item: string): Promise<SiteVersion> {
  const idempotencyKey = `${site.id}-${item}`
  return (
    (await versionOf(client, site.id, item, signal)) ??
    (await client.sites.addVersion(site.id, { item }, { idempotencyKey, signal }))
  )
}

/** Adds an item that is not stored yet: the service makes its version the current one once it is. */
export async function addWaitingVersion(
  { client, signal }: Deps,
  site: Pick<Site, 'id'>,
  item: string,
): Promise<SiteVersion> {
  const idempotencyKey = `${site.id}-${item}-when_stored`
  return await client.sites.addVersion(site.id, { item, current: 'when_stored' }, { idempotencyKey, signal })
}

async function versionOf(client: Client, site: string, item: string, signal: AbortSignal) {
  for await (const version of client.sites.versions(site, { signal })) if (version.item === item) return version
  return undefined
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
