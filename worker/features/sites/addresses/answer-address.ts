import type { Context } from 'hono'
import { LIFETIMES } from '../../../../contract/lifetimes.ts'
import { now as clock } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError, noSuchPath } from '../../../platform/http/errors.ts'
import { limitRequest } from '../../../platform/http/limit-requests.ts'
import { answerSite } from '../answer-site.ts'
import { HOST_CHECK_PATH } from '../domains/answer-host-check.ts'
import type { SiteAddress } from '../sql/site-addresses.ts'
import { leadsTo, resolveAddress } from './resolve-address.ts'

/** Seconds that browsers keep the redirect of an address that was changed: it can become the site's again. */
const MOVED_SECONDS = 300

/** What an address answers: the site, a redirect to the label that the site has now, or 410. */
type AddressState = { kind: 'shown'; site: string } | { kind: 'moved'; to: string } | { kind: 'gone' }

/**
 * Answers GET and HEAD on a label that has the form of an address: with its site, with a redirect to the address that the
 * site has now, or with 410. `url` is as the client wrote it.
 * @throws {AppError} 404 for a label that was never an address, 410, 503, and as `answerSite` does.
 */
export async function answerAddress(c: Context<AppEnv>, url: URL, label: string): Promise<Response> {
  const now = clock()
  const address = await resolveAddress(c.env, label, now, () => limitRequest(c))
  if (!address) throw noSuchPath()
  const state = addressState(address, now)
  if (state.kind === 'gone') throw new AppError(410, 'address_gone', 'No site is at this address any more.')
  if (state.kind === 'moved') {
    const { baseUrl, storageHost } = c.get('config')
    const location = `${baseUrl.protocol}//${state.to}.${storageHost}${url.pathname}${url.search}`
    return c.body(null, 302, { Location: location, 'Cache-Control': `max-age=${MOVED_SECONDS}` })
  }
  const { site } = state
  if (url.pathname === HOST_CHECK_PATH) return c.text(`${site}\n`)
  const response = await answerSite(c, url, { id: site })
  const cacheable = c.get('cacheable')
  if (cacheable) {
    const holds = (at: number) => leadsTo(label, site, at) && cacheable.holds?.(at) !== false
    c.set('cacheable', { ...cacheable, holds })
  }
  return response
}

/** What an address answers at `now` (ms): one that was changed or ended redirects for a time. */
function addressState({ siteId, untilAt, withdrawnAt, current, stands }: SiteAddress, now: number): AddressState {
  if (!stands || withdrawnAt !== null) return { kind: 'gone' }
  if (untilAt === null) return { kind: 'shown', site: siteId }
  return now - untilAt < LIFETIMES.movedAddress * 1000 ? { kind: 'moved', to: current ?? siteId } : { kind: 'gone' }
}
