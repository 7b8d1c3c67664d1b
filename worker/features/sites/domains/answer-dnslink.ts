import type { Context } from 'hono'
import { answerIpfs } from '../../../content/ipfs/gateway/answer-ipfs.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError } from '../../../platform/http/errors.ts'

/**
 * Answers on a domain that names no item but has a DNSLink record (DNSLink Gateway specification): what it points
 * to, on an origin of its own; `undefined` for a domain without one, or where no resolver is configured.
 * @throws {AppError} as `findNamePath` does.
 */
export async function answerDnslink(c: Context<AppEnv>, domain: string, url: URL): Promise<Response | undefined> {
  if (c.get('config').dohUrl === undefined) return undefined
  const { findNamePath } = await import('../../../content/ipfs/gateway/find-name-path.ts')
  const { parseIpnsName } = await import('../../../content/ipfs/names/ipns-name.ts')
  const { parseSubPath } = await import('../../../content/ipfs/names/content-path.ts')
  const name = parseIpnsName(domain)
  if (name?.kind !== 'domain') return undefined
  const place = { linkPrefix: '', ownOrigin: true, gatewayUrl: undefined }
  const path = parseSubPath(url.pathname)
  try {
    return await answerIpfs(c, (denied) => findNamePath(c, denied, { url, name, path, place }))
  } catch (error) {
    if (error instanceof AppError && error.code === 'no_dnslink') return undefined
    throw error
  }
}
