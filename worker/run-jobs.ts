import { BLOCKCHAINS, type Blockchain } from '../protocol/chains.ts'
import { wakeAgents } from './agent/wake-agents.ts'
import { sweepChainCache } from './content/chain/sweep-chain-cache.ts'
import { sweepAccounts } from './features/accounts/sweep-accounts.ts'
import { sweepKeys } from './features/auth/idempotency/idempotency-keys.ts'
import { sweepStreamLeases } from './features/events/sql/event-streams.ts'
import { measureDatabase } from './features/health/database-size.ts'
import { noteMinuteRun } from './features/health/minute-runs.ts'
import { sweepItems } from './features/items/sweep.ts'
import { sweepOrphans } from './features/items/sweep-orphans.ts'
import { watchSigns } from './features/operate/alerts/watch-signs.ts'
import { sweepPayoutRecords } from './features/payouts/record/payout-records.ts'
import { requestRestore } from './features/payouts/restore/notice-restore.ts'
import { sweepReports } from './features/reports/sql/reports.ts'
import { runDomainJobs } from './features/sites/domains/run-domain-jobs.ts'
import { sweepSigned } from './features/writer/follow/sweep-signed.ts'
import type { Env } from './platform/bindings.ts'
import { now as clock } from './platform/clock.ts'
import { readConfig } from './platform/config/read-config.ts'
import { sweepAudit } from './platform/records/audit-log.ts'
import { sweepEvents } from './platform/records/event-queue.ts'

const HEARTBEAT_TIMEOUT_MS = 10_000

/** The jobs that run every minute. Each processes a bounded batch. Two runs of a job may overlap. */
const JOBS: Record<string, (env: Env, now: number) => Promise<void>> = {
  accounts: (env, now) => sweepAccounts(env.DB, readConfig(env), now),
  idempotencyKeys: (env, now) => sweepKeys(env.DB, now),
  items: sweepItems,
  orphans: (env, now) => sweepOrphans(env, now, Math.random()),
  signed: async (env, now) => {
    for (const blockchain of chainsWithNode(env)) await requestRestore(env, blockchain)
    await sweepSigned(env, now, Math.random())
  },
  payoutRecords: (env, now) => sweepPayoutRecords(env.DB, env.BUCKET, now),
  imports: async (env, now) => (await import('./content/ipfs/blocks/import-car.ts')).sweepImports(env.BUCKET, now),
  chainCache: sweepChainCache,
  ipfsCache: async (env, now) => (await import('./content/ipfs/blocks/sweep-ipfs-cache.ts')).sweepIpfsCache(env, now),
  database: (env, now) => measureDatabase(env.DB, now),
  reports: (env, now) => sweepReports(env.DB, now),
  audit: (env, now) => sweepAudit(env.DB, now),
  events: (env, now) => sweepEvents(env.DB, now),
  webhooks: async (env, now) => {
    const { renewSecrets, sendWebhooks, senderContext, sweepWebhooks } = await import(
      './features/events/send-webhooks.ts'
    )
    const context = senderContext(env, clock)
    await sendWebhooks(context)
    await sweepWebhooks(env.DB, now)
    await renewSecrets(context)
  },
  streams: (env, now) => sweepStreamLeases(env.DB, now),
  denylist: async (env, now) => (await import('./content/denylist/import-denylist.ts')).importDenylist(env, now),
  orderMails: async (env, now) =>
    (await import('./features/accounts/order-mails/send-order-mails.ts')).sendOrderMails(env.DB, now),
  prices: async (env, now) =>
    (await import('./features/payments/prices/follow-prices.ts')).followPrices(env.DB, readConfig(env), now),
  reconciliation: async (env, now) => {
    const { reconcileWhenDue } = await import('./features/operate/reconcile.ts')
    await reconcileWhenDue(env.DB, readConfig(env), now)
  },
  agents: wakeAgents,
  sites: async (env, now) => (await import('./features/sites/switch-stored.ts')).switchStored(env, now),
  domains: (env, now) => runDomainJobs({ env, config: readConfig(env) }, now),
}

/** The chains for which the RPC of a node is configured. */
function chainsWithNode(env: Env): Blockchain[] {
  const { chains } = readConfig(env)
  return BLOCKCHAINS.filter((blockchain) => chains[blockchain].rpc.length > 0)
}

/**
 * Runs all jobs, even if some of them fail, and then tells operators what needs them. After a run in which nothing failed
 * `HEARTBEAT_URL` is requested. @throws if a job failed, so that the platform records a failed run.
 */
export async function runJobs(env: Env, now: number): Promise<void> {
  const names = Object.keys(JOBS)
  const outcomes = await Promise.allSettled(Object.values(JOBS).map(async (job) => await job(env, now)))
  const failed = names.filter((name, index) => {
    const outcome = outcomes[index]
    if (outcome?.status !== 'rejected') return false
    console.error('job_failed', name, outcome.reason)
    return true
  })
  try {
    await watchSigns(env, failed, now)
    if (failed.length === 0) await noteMinuteRun(env.DB, clock())
  } catch (error) {
    console.error('job_failed', 'alerts', error)
    failed.push('alerts')
  }
  if (failed.length > 0) throw new Error(`These jobs failed: ${failed.join(', ')}`)
  await sendHeartbeat(readConfig(env).alerts.heartbeat)
}

async function sendHeartbeat(url: string | undefined): Promise<void> {
  if (url === undefined) return
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(HEARTBEAT_TIMEOUT_MS) })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`It answered ${response.status}.`)
  } catch (error) {
    console.warn('heartbeat_not_sent', error instanceof Error ? error.message : 'unknown')
  }
}
