import type { Env } from '../../../platform/bindings.ts'
import { now as clock } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/config.ts'
import { cacheSeconds, DnsUnavailableError } from '../../../platform/dns/query-dns.ts'
import { LookupLimit } from '../../../platform/flow/lookup-limit.ts'
import { MemoryCache } from '../../../platform/flow/memory-cache.ts'
import { AppError, unavailable } from '../../../platform/http/errors.ts'
import { logOnceAMinute } from '../../../platform/records/log-once-a-minute.ts'
import { deleteDomainAnswer, isClaimed, selectDomainAnswer, upsertDomainAnswer } from '../sql/domains.ts'
import { siteOfAddress } from '../sql/site-addresses.ts'
import { lookupRecords } from './lookup-domain.ts'
import { isDomainName } from './match-domain.ts'

/** How long (seconds) it is cached that a host shows nothing, or that the resolver failed. */
const NEGATIVE = 30
const DAY = 86_400_000
/** Bytes of a cached host. */
const KNOWN_BYTES = 100

/** Lookups of hosts that nobody has claimed, in this isolate. */
const lookups = new LookupLimit()

interface Known {
  item: string | undefined
  /** Milliseconds since 1970. */
  until: number
}

/** Of this isolate. */
const known = new MemoryCache<Known>(1 << 10)

/**
 * The item that a user's own host shows, by DNS; `undefined` when it names none. Answers are cached for
 * their time to live, and the last one is used while lookups fail. Hosts that nobody has claimed are looked up
 * a limited number of times a minute.
 * @throws {AppError} 503 past that, and 504 where the lookup fails, when no answer is stored.
 */
export async function resolveDomain(
  env: Pick<Env, 'DB'>,
  config: Pick<Config, 'dohUrl' | 'storageHost'>,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  host: string,
  now = clock(),
): Promise<string | undefined> {
  const { dohUrl, storageHost } = config
  if (dohUrl === undefined || !isDomainName(host)) return undefined
  const last = known.get(host)
  if (last && now < last.until) return last.item
  if (!lookups.hasRoom(now) && !(await isClaimed(env.DB, host))) {
    const item = last?.item ?? (await selectDomainAnswer(env.DB, host))
    if (item !== undefined) return item
    throw unavailable('busy', 'Too many new hosts are being looked up right now. Try again in a minute.', {
      retryAfter: LookupLimit.retryAfter,
    })
  }
  try {
    const { answer } = await lookups.run(() =>
      lookupRecords(host, { dohUrl, storageHost, siteOf: siteOfAddress(env.DB) }),
    )
    if (answer.found) {
      remember(host, answer.item, now + cacheSeconds(answer.ttl) * 1000)
      ctx.waitUntil(logged(upsertDomainAnswer(env.DB, host, answer.item, now, now - DAY)))
      return answer.item
    }
    remember(host, undefined, now + NEGATIVE * 1000)
    ctx.waitUntil(logged(deleteDomainAnswer(env.DB, host)))
    return undefined
  } catch (cause) {
    if (!(cause instanceof DnsUnavailableError)) throw cause
    const item = last ? last.item : await selectDomainAnswer(env.DB, host)
    if (!last && item === undefined) {
      throw new AppError(504, 'resolver_unavailable', 'DNS lookup failed. Try again in a minute.', { cause })
    }
    remember(host, item, now + NEGATIVE * 1000)
    return item
  }
}

/** Whether a host shows an item by a cached answer that has not expired; `now` is in ms since 1970. */
export function pointsTo(host: string, item: string, now: number): boolean {
  const last = known.get(host)
  return last !== undefined && last.item === item && now < last.until
}

/** Evicts a host from the cache. */
export function evictDomain(host: string): void {
  known.delete(host)
}

function remember(host: string, item: string | undefined, until: number): void {
  known.set(host, { item, until }, KNOWN_BYTES)
}

async function logged(work: Promise<void>): Promise<void> {
  await work.catch((error) => logOnceAMinute('error', 'domain_answer_not_kept', error))
}
