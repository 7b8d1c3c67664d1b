import type { Context } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { nothingHere } from '../http/errors.ts'
import { hostName } from '../http/host-name.ts'
import { limitRequest } from '../http/limit-requests.ts'
import { answerIpfs } from '../ipfs/gateway/answer-ipfs.ts'
import { answerItem } from '../item-content/answer-item.ts'
import { bindToItem } from '../item-content/bind-to-item.ts'
import { findStoredItem } from '../item-content/find-stored-item.ts'
import type { StoredItem } from '../storage/items/stored-items.ts'
import { answerDnslink } from './answer-dnslink.ts'
import { pointsTo, resolveDomain } from './resolve-domain.ts'

/** Query parameters by which gateways are asked for content in another form. */
const GATEWAY_PARAMETERS = ['format', 'filename', 'download']

/** What a name points to can change from one request to the next; the tag says whether it did. */
const CHANGEABLE = 'public, max-age=0, must-revalidate'

/**
 * Answers GET and HEAD on the host of an item, or on a domain that names one, with the item as a site; on a domain
 * that names none, with what its DNSLink points to. `url` is as the client wrote it.
 * @throws {AppError} 404 where the host names no stored item or the item has nothing there, 451, and what reading
 *   the item throws.
 */
export async function answerSite(
  c: Context<AppEnv>,
  url: URL,
  host: { id: string } | { domain: string },
): Promise<Response> {
  if ('id' in host) return (await answerItemSite(c, url, host.id)) ?? refuse()
  const { domain } = host
  const id = await itemOfDomain(c, domain)
  if (id === undefined) return (await answerForeignHost(c, domain, url)) ?? refuse()
  const response = (await answerItemSite(c, url, id)) ?? refuse()
  setChangeable(response.headers)
  const warm = c.get('warm')
  if (warm) {
    setChangeable(warm.answer.init.headers)
    c.set('warm', { ...warm, holds: (now) => pointsTo(domain, id, now) && warm.holds?.(now) !== false })
  }
  return response
}

function refuse(): never {
  throw nothingHere()
}

async function answerItemSite(c: Context<AppEnv>, url: URL, id: string): Promise<Response | undefined> {
  const item = await findStoredItem(c.env, c.executionCtx, id)
  if (!item) return undefined
  const response = item.blockchain === 'IPFS' ? await answerDirectory(c, item, url) : await answerFile(c, item, url)
  bindToItem(c, id)
  return response
}

function setChangeable(headers: Headers): void {
  if (/immutable|stale/.test(headers.get('Cache-Control') ?? '')) headers.set('Cache-Control', CHANGEABLE)
}

/**
 * A domain that names no item: the site of its DNSLink, if it has one. Behind a proxy that the operator trusts, a
 * name of the proxy's own is also as good as any for the content paths of a path gateway.
 */
async function answerForeignHost(c: Context<AppEnv>, domain: string, url: URL): Promise<Response | undefined> {
  const linked = await answerDnslink(c, domain, url)
  if (linked || !c.get('config').trustForwardedHost || !/^\/ipfs\/[^/]/.test(url.pathname)) return linked
  const { findContentPath } = await import('../ipfs/gateway/find-content-path.ts')
  return answerIpfs(c, (denied) => findContentPath(c, denied, '/ipfs/'))
}

async function itemOfDomain(c: Context<AppEnv>, host: string): Promise<string | undefined> {
  // Every unknown host costs questions to the resolver; those of our own hosts cost none.
  await limitRequest(c)
  return await resolveDomain(c.env, c.get('config'), c.executionCtx, host)
}

async function answerFile(c: Context<AppEnv>, item: StoredItem, url: URL): Promise<Response> {
  if (url.pathname !== '/') throw nothingHere()
  await limitRequest(c)
  return await answerItem(c, item, {})
}

async function answerDirectory(c: Context<AppEnv>, item: StoredItem, url: URL): Promise<Response> {
  const own = new URL(url)
  // Whatever domain leads here, it is the same page.
  own.host = `${item.id}.${hostName(c.get('config').storageHost)}`
  const request = plainRequest(c.req.raw, own)
  return await answerIpfs(c, async (denied) => {
    const { findIpfsPage } = await import('./find-ipfs-page.ts')
    return findIpfsPage(c, denied, item, request)
  })
}

/**
 * A request for content in its own form at `url`, where it is not a gateway that is asked: whatever `Accept` or
 * the query say is for the content's own scripts.
 */
function plainRequest(request: Request, url: URL): Request {
  const plain = new URL(url)
  for (const name of GATEWAY_PARAMETERS) plain.searchParams.delete(name)
  const headers = new Headers(request.headers)
  for (const name of ['Accept', 'Authorization', 'Cookie']) headers.delete(name)
  return new Request(plain, new Request(request, { headers }))
}
