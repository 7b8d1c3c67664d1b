import type { Env } from '../../../platform/bindings.ts'
import type { Config } from '../../../platform/config/config.ts'
import { selectSweepPosition, updateSweepPosition } from '../../../platform/d1/sweep-positions.ts'
import { selectAccountsInTurn } from '../sql/account-turns.ts'
import { type Domain, leasePendingDomains, selectDomain, updateDomainStatus } from '../sql/domains.ts'
import { deleteHostnameMark, putHostnameMark } from '../sql/hostname-marks.ts'
import { countedFetch } from './counted-fetch.ts'
import {
  type CloudflareZone,
  type CustomHostname,
  findHostname,
  HostnameRefusedError,
  makeHostname,
  removeHostname,
} from './custom-hostnames.ts'

type Deps = { env: Pick<Env, 'DB' | 'BUCKET'>; config: Pick<Config, 'cloudflare'> }

/** Claims whose status is read in a run: each account in its turn, so that the many of one do not delay others. */
const AT_ONCE = 10
const TURN = 'domains/pending'

/** Reads from Cloudflare the status of claims that are not active yet. */
export async function followPendingDomains({ env, config }: Deps, now: number): Promise<void> {
  if (!config.cloudflare) return
  const last = await selectSweepPosition(env.DB, TURN)
  const accounts = await selectAccountsInTurn(env.DB, 'pending', last, AT_ONCE)
  if (accounts.length === 0) return
  await updateSweepPosition(env.DB, TURN, accounts.at(-1) ?? '')
  const each = Math.max(1, Math.floor(AT_ONCE / accounts.length))
  for (const domain of await leasePendingDomains(env.DB, accounts, each, now)) {
    await followHostname({ env, config }, domain, 'job').catch((error) => console.error('hostname_refused', error))
  }
}

/**
 * Registers a claimed host at Cloudflare, or reads its status there.
 * @throws {HostnameRefusedError}; any other failure leaves the claim as it is.
 */
export async function followHostname({ env, config }: Deps, domain: Domain, by: 'account' | 'job'): Promise<Domain> {
  if (!config.cloudflare || domain.status === 'active') return domain
  const fetcher = countedFetch(env.DB, by)
  try {
    const found = await findHostname(config.cloudflare, domain.host, fetcher)
    const { id, status } = found ?? (await makeMarkedHostname(env.BUCKET, config.cloudflare, domain.host, fetcher))
    const stands = await updateDomainStatus(env.DB, domain, id, status)
    // Released during the call to Cloudflare: nothing else would ever remove it there.
    if (!stands && !(await selectDomain(env.DB, domain.host))) {
      await removeHostname(config.cloudflare, id, fetcher)
      await deleteHostnameMark(env.BUCKET, domain.host)
    }
    return { ...domain, customHostnameId: id, status }
  } catch (error) {
    if (error instanceof HostnameRefusedError) throw error
    console.error('hostname_pending', domain.host, error)
    return domain
  }
}

/** Marked before it is made: even if the answer is lost, the hostname is known to be ours. */
async function makeMarkedHostname(
  bucket: R2Bucket,
  zone: CloudflareZone,
  host: string,
  fetcher: typeof fetch,
): Promise<CustomHostname> {
  await putHostnameMark(bucket, host)
  const made = await makeHostname(zone, host, fetcher)
  await putHostnameMark(bucket, host, made.id)
  return made
}
