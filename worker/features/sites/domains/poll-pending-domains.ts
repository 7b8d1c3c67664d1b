import { selectSweepPosition, updateSweepPosition } from '../../../platform/d1/sweep-positions.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { selectAccountsInTurn } from '../sql/account-turns.ts'
import { deleteOldWaits, leaseWaitingDomains, updateWaitingSteps, type WaitingDomain } from '../sql/waiting-domains.ts'
import { claimProven, type Deps, probeClaim } from './claim-domain.ts'
import { type Findings, mergeSteps, parseSteps } from './domain-steps.ts'

/** Hosts looked up in a run, and at a time: each account in its turn. */
const A_RUN = 100
const AT_ONCE = 10
const TURN = 'domains/waiting'
/** How long (ms) a pending claim is listed as stopped after its end. */
const TELL = 7 * 86_400_000
const FORGET_AT_ONCE = 100

/** Looks up hosts that wait for their record, and claims those that have it. One that fails stops no other. */
export async function pollPendingDomains({ env, config }: Deps, now: number): Promise<void> {
  await deleteOldWaits(env.DB, now - TELL, FORGET_AT_ONCE)
  if (config.dohUrl === undefined) return
  const last = await selectSweepPosition(env.DB, TURN)
  const accounts = await selectAccountsInTurn(env.DB, 'waiting', last, A_RUN)
  if (accounts.length === 0) return
  await updateSweepPosition(env.DB, TURN, accounts.at(-1) ?? '')
  const waiting = await leaseWaitingDomains(env.DB, accounts, Math.max(1, Math.floor(A_RUN / accounts.length)), now)
  for (let at = 0; at < waiting.length; at += AT_ONCE) {
    const looks = waiting.slice(at, at + AT_ONCE).map((domain) => pollPendingDomain({ env, config }, domain, now))
    for (const outcome of await Promise.allSettled(looks)) {
      if (outcome.status === 'rejected') console.error('domain_not_looked_at', outcome.reason)
    }
  }
}

/**
 * Looks up one host that waits, and claims it where it has its record.
 * @returns what was found; `claimed` is false also where the host is another account's.
 */
export async function pollPendingDomain(
  { env, config }: Deps,
  domain: WaitingDomain,
  now: number,
): Promise<{ claimed: boolean; findings: Findings }> {
  const look = await probeClaim(env.DB, domain, config, now < domain.waitUntil ? 'waiting' : 'failed')
  const { proof } = look
  let { findings } = look
  if (proof !== undefined) {
    try {
      await claimProven({ env, config }, domain, { ...look, proof }, now)
      return { claimed: true, findings }
    } catch (error) {
      if (!(error instanceof AppError && error.status === 409)) throw error
      findings = { ...findings, conflict: { state: 'failed', found: error.message, wanted: null } }
    }
  }
  const steps = mergeSteps(parseSteps(domain.steps), findings, now)
  await updateWaitingSteps(env.DB, domain, JSON.stringify(steps))
  return { claimed: false, findings }
}
