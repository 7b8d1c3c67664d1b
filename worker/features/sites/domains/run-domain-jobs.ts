import { LIFETIMES } from '../../../../contract/lifetimes.ts'
import { sweepDomainAnswers } from '../sql/domains.ts'
import type { Deps } from './claim-domain.ts'
import { followPendingDomains } from './follow-hostnames.ts'
import { pollPendingDomains } from './poll-pending-domains.ts'
import { expireClaims, removeDomains } from './sweep-domains.ts'
import { sweepHostnames } from './sweep-hostnames.ts'

/** How long what DNS said of a host is remembered that nobody visits, in milliseconds. */
const ANSWERS_KEPT = LIFETIMES.domainAnswer * 1000

const forgetAnswers = async ({ env }: Deps, now: number) => await sweepDomainAnswers(env.DB, now - ANSWERS_KEPT)

/** What is done each minute for domains, each a bounded batch. @throws when any failed, after all were tried. */
export async function runDomainJobs(deps: Deps, now: number): Promise<void> {
  const jobs = [followPendingDomains, pollPendingDomains, expireClaims, removeDomains, sweepHostnames, forgetAnswers]
  const outcomes = await Promise.allSettled(jobs.map((job) => job(deps, now)))
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (failures.length > 0) throw new AggregateError(failures, 'Some jobs of domains failed.')
}
