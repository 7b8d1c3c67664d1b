import type { Context } from 'hono'
import type { FoundPath } from '../../content/ipfs/formats/found-content.ts'
import { answerIpfs } from '../../content/ipfs/gateway/answer-ipfs.ts'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { noSuchPath } from '../../platform/http/errors.ts'
import { hostName } from '../../platform/http/host-name.ts'
import { limitRequest } from '../../platform/http/limit-requests.ts'
import { IMMUTABLE, NO_STORE } from '../../platform/http/policies.ts'
import { answerItem } from '../items/content/answer-item.ts'
import { bindToItem } from '../items/content/bind-to-item.ts'
import { RETYPED } from '../items/content/retyped.ts'
import { answerDnslink } from './domains/answer-dnslink.ts'
import { pointsTo, resolveDomain } from './domains/resolve-domain.ts'
import { findShownItem, type ShownItem, showsItem } from './find-shown-item.ts'

/** What a name points to can change from one request to the next; the tag says whether it did. */
const CHANGEABLE = 'public, max-age=0, must-revalidate'

/**
 * Answers GET and HEAD on the host of an item or a site, or on a domain that names one, with the item, or the site's
 * current version; on a domain that names none, with what its DNSLink points to. Each answer is of one version as a
 * whole, and its entity tag names that version. `url` is as the client wrote it.
 * @throws {AppError} 404 where the host names nothing that is stored or the item has nothing there, 451, and what reading
 *   the item throws.
 */
export async function answerSite(
  c: Context<AppEnv>,
  url: URL,
  host: { id: string } | { domain: string },
): Promise<Response> {
  const domain = 'domain' in host ? host.domain : undefined
  const id = 'id' in host ? host.id : await idOfDomain(c, host.domain)
  if (id === undefined) return (await answerForeignHost(c, domain ?? '', url)) ?? refuse()
  const shown = (await findShownItem(c.env, c.executionCtx, id)) ?? refuse()
  const response = await answerShown(c, shown, url, domain !== undefined)
  const { item, site } = shown
  const soften = site ? setSiteCaching : setChangeable
  if (site || domain !== undefined) soften(response.headers)
  const cacheable = c.get('cacheable')
  if (cacheable && (site || domain !== undefined)) {
    soften(cacheable.answer.init.headers)
    const holds = (now: number) =>
      (domain === undefined || pointsTo(domain, id, now)) &&
      (!site || showsItem(site.id, item.id, now)) &&
      cacheable.holds?.(now) !== false
    c.set('cacheable', { ...cacheable, ...(site ? { site: site.id } : {}), holds })
  }
  return response
}

function refuse(): never {
  throw noSuchPath()
}

async function answerShown(c: Context<AppEnv>, shown: ShownItem, url: URL, byDomain: boolean): Promise<Response> {
  const { item, site } = shown
  const host = site || byDomain ? 'site' : 'item'
  const response = item.cid === undefined ? await answerFile(c, shown, url) : await answerDirectory(c, shown, url, host)
  bindToItem(c, item)
  return response
}

function setChangeable(headers: Headers): void {
  if (/immutable|stale/.test(headers.get('Cache-Control') ?? '')) headers.set('Cache-Control', CHANGEABLE)
}

/** Overrides the site's `_headers`: what browsers cache would still be shown after a switch. */
function setSiteCaching(headers: Headers): void {
  if (headers.get('Cache-Control') !== NO_STORE) headers.set('Cache-Control', CHANGEABLE)
}

/**
 * A domain that names no item: the site of its DNSLink, if it has one. Behind a proxy that the operator trusts, a
 * name of the proxy's own is also as good as any for the content paths of a path gateway.
 */
async function answerForeignHost(c: Context<AppEnv>, domain: string, url: URL): Promise<Response | undefined> {
  const linked = await answerDnslink(c, domain, url)
  if (linked || !c.get('config').trustForwardedHost || !/^\/ipfs\/[^/]/.test(url.pathname)) return linked
  const { findContentPath } = await import('../../content/ipfs/gateway/find-content-path.ts')
  return answerIpfs(c, (denied) => findContentPath(c, denied, '/ipfs/'))
}

async function idOfDomain(c: Context<AppEnv>, host: string): Promise<string | undefined> {
  // Every unknown host costs queries to the resolver; our own hosts cost none.
  await limitRequest(c)
  return await resolveDomain(c.env, c.get('config'), c.executionCtx, host)
}

async function answerFile(c: Context<AppEnv>, { item, site }: ShownItem, url: URL): Promise<Response> {
  if (url.pathname !== '/') throw noSuchPath()
  await limitRequest(c)
  const caching = item.typeChanges === 0 ? IMMUTABLE : RETYPED
  return await answerItem(c, item, { 'Cache-Control': caching }, site && ((etag) => nameVersion(etag, site.version)))
}

async function answerDirectory(
  c: Context<AppEnv>,
  { item, site }: ShownItem,
  url: URL,
  host: 'item' | 'site',
): Promise<Response> {
  const own = new URL(url)
  // Whatever domain leads here, it is the same page.
  own.host = `${item.id}.${hostName(c.get('config').storageHost)}`
  const request = plainRequest(c.req.raw, own)
  return await answerIpfs(c, async (denied) => {
    const { findIpfsPage } = await import('./find-ipfs-page.ts')
    const found = await findIpfsPage(c, denied, item, request, host)
    return site ? nameVersionOf(found, site.version) : found
  })
}

function nameVersionOf(found: FoundPath, version: number): FoundPath {
  const { representation } = found
  if (representation instanceof Response) return found
  const { etag, otherEtags = [] } = representation
  const tags = otherEtags.map((tag) => nameVersion(tag, version))
  return { ...found, representation: { ...representation, etag: nameVersion(etag, version), otherEtags: tags } }
}

/** Two versions may have the same bytes at a path and send them as another type: their tags differ all the same. */
function nameVersion(etag: string, version: number): string {
  return etag.replace(/"$/, `-v${version}"`)
}

/** A request at `url` without the headers that are for the content's own scripts. */
function plainRequest(request: Request, url: URL): Request {
  const headers = new Headers(request.headers)
  for (const name of ['Accept', 'Authorization', 'Cookie']) headers.delete(name)
  return new Request(url, new Request(request, { headers, ...(request.cf ? { cf: request.cf } : {}) }))
}
