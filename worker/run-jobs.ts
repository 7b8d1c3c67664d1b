import { sweepAccounts } from './accounts/sweep-accounts.ts'
import type { Env } from './bindings.ts'
import { wakeAgents } from './chain-agent/wake-agents.ts'
import { sweepChainCache } from './chain-content/sweep-chain-cache.ts'
import { now as clock } from './clock.ts'
import { readConfig } from './config/read-config.ts'
import { sweepItems } from './items/sweep.ts'
import { sweepOrphans } from './items/sweep-orphans.ts'
import { runDomainJobs } from './sites/run-domain-jobs.ts'
import { sweepKeys } from './storage/accounts/idempotency-keys.ts'
import { sweepAudit } from './storage/audit/audit-log.ts'
import { sweepEvents } from './storage/events/event-queue.ts'
import { sweepStreamLeases } from './storage/events/event-streams.ts'
import { sweepSigned } from './writer/sweep-signed.ts'

/** What the clock brings each minute. Each job does a bounded batch, and may run twice at once with no harm. */
const JOBS: Record<string, (env: Env, now: number) => Promise<void>> = {
  accounts: (env, now) => sweepAccounts(env.DB, readConfig(env), now),
  idempotencyKeys: (env, now) => sweepKeys(env.DB, now),
  items: sweepItems,
  orphans: (env, now) => sweepOrphans(env, now, Math.random()),
  signed: (env, now) => sweepSigned(env, now, Math.random()),
  imports: async (env, now) => (await import('./ipfs/blocks/import-car.ts')).sweepImports(env.BUCKET, now),
  chainCache: sweepChainCache,
  ipfsCache: async (env, now) => (await import('./ipfs/blocks/sweep-ipfs-cache.ts')).sweepIpfsCache(env, now),
  audit: (env, now) => sweepAudit(env.DB, now),
  events: (env, now) => sweepEvents(env.DB, now),
  webhooks: async (env) => {
    const { renewSecrets, sendWebhooks, senderContext, sweepWebhooks } = await import('./events/send-webhooks.ts')
    const context = senderContext(env, clock)
    await sendWebhooks(context)
    await sweepWebhooks(env.DB)
    await renewSecrets(context)
  },
  streams: (env, now) => sweepStreamLeases(env.DB, now),
  denylist: async (env, now) => (await import('./denylist/import-denylist.ts')).importDenylist(env, now),
  reconciliation: async (env, now) => {
    const { reconcileWhenDue } = await import('./operate/reconcile.ts')
    await reconcileWhenDue(env.DB, readConfig(env), now)
  },
  agents: wakeAgents,
  domains: (env, now) => runDomainJobs({ env, config: readConfig(env) }, now),
}

/** Runs every job, whatever becomes of the others. @throws when any failed, so that the platform counts it. */
export async function runJobs(env: Env, now: number): Promise<void> {
  const names = Object.keys(JOBS)
  const outcomes = await Promise.allSettled(Object.values(JOBS).map(async (job) => await job(env, now)))
  const failed = names.filter((name, index) => {
    const outcome = outcomes[index]
    if (outcome?.status !== 'rejected') return false
    console.error('job_failed', name, outcome.reason)
    return true
  })
  if (failed.length > 0) throw new Error(`These jobs failed: ${failed.join(', ')}`)
}
