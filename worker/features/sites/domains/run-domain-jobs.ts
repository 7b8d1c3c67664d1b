import type { Surroundings } from './claim-domain.ts'
import { followPendingDomains } from './follow-hostnames.ts'
import { lookAtWaiting } from './look-at-waiting.ts'
import { lapseDomains, removeDomains } from './sweep-domains.ts'
import { sweepHostnames } from './sweep-hostnames.ts'

/** What is done each minute for domains, each a bounded batch. @throws when any failed, after all were tried. */
export async function runDomainJobs(surroundings: Surroundings, now: number): Promise<void> {
  const jobs = [followPendingDomains, lookAtWaiting, lapseDomains, removeDomains, sweepHostnames]
  const outcomes = await Promise.allSettled(jobs.map((job) => job(surroundings, now)))
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (failures.length > 0) throw new AggregateError(failures, 'Domains could not all be looked after.')
}
