import { notFound } from '../../../platform/http/errors.ts'
import type { ListedDomain } from '../sql/domain-lists.ts'
import { updateDomainSteps } from '../sql/domains.ts'
import { selectWaitingDomain, updateWaitingSteps } from '../sql/waiting-domains.ts'
import { type Deps, probeClaim } from './claim-domain.ts'
import { mergeSteps, parseSteps } from './domain-steps.ts'
import { findOwnDomain } from './find-own-domain.ts'
import { pollPendingDomain } from './poll-pending-domains.ts'
import { probeHost } from './probe-host.ts'

/** A check within this time (ms) of the last one returns what that one found. */
const AGAIN_AFTER = 5_000

/**
 * Checks everything that has to be right for a host of the user's to show its site, step by step, and stores what was
 * found. A host that waits for its record and has it is claimed.
 * @throws {AppError} 404, 503 where this service has no resolver.
 */
export async function checkDomain(deps: Deps, host: string, userId: string, now: number): Promise<ListedDomain> {
  const { env, config } = deps
  const known = (await findOwnDomain(env.DB, host, userId)) ?? refuse()
  // Only a whole check includes this step.
  const last = parseSteps(known.steps).find(({ step }) => step === 'caa')?.checkedAt ?? 0
  if (now - last * 1000 < AGAIN_AFTER) return known
  const waiting = await selectWaitingDomain(env.DB, host, userId)
  const looked = waiting && (await pollPendingDomain(deps, waiting, now))
  // What was waited for may be claimed now.
  const domain = looked ? ((await findOwnDomain(env.DB, host, userId)) ?? refuse()) : known
  const { findings } = looked ?? (await probeClaim(env.DB, domain, config, 'failed'))
  const steps = JSON.stringify(mergeSteps([], { ...(await probeHost(deps, domain, findings)), ...findings }, now))
  if (domain.waitUntil === null) await updateDomainSteps(env.DB, domain, steps)
  else await updateWaitingSteps(env.DB, domain, steps)
  return { ...domain, steps }
}

function refuse(): never {
  throw notFound('You have neither claimed this host nor a pending claim of it.')
}
