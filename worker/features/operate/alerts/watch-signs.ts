import type { Env } from '../../../platform/bindings.ts'
import { readConfig } from '../../../platform/config/read-config.ts'
import { alertStatements, selectAlerts } from '../sql/alerts.ts'
import { watchDatabase } from './database-alert.ts'
import { decideAlerts } from './decide-alerts.ts'
import { readFacts } from './read-facts.ts'
import { findSigns } from './signs.ts'
import { sendMessages } from './tell-webhook.ts'

/**
 * Finds the signs that hold, after the jobs of a minute of which `failedJobs` failed, and tells of those that are new or over.
 * Nothing is read where nobody is to be told. `now` in milliseconds. @throws where D1 fails in between.
 */
export async function watchSigns(env: Env, failedJobs: readonly string[], now: number): Promise<void> {
  const config = readConfig(env)
  const { webhook, mail } = config.alerts
  if (webhook === undefined && mail === undefined && config.metricsToken === undefined) return
  if (!(await watchDatabase(env))) return
  const found = findSigns(await readFacts(env, failedJobs, now))
  const changes = decideAlerts(await selectAlerts(env.DB), found, now)
  const receivers = { mail, webhook: webhook !== undefined }
  const statements = changes.flatMap((change) => alertStatements(env.DB, change, receivers, now))
  if (statements.length > 0) await env.DB.batch(statements)
  await sendMessages(env.DB, config, now)
}
