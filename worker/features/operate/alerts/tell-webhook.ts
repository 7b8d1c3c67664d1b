import type { Config } from '../../../platform/config/config.ts'
import { claimMessages, deleteMessages, deleteOldMessages } from '../sql/alerts.ts'
import { type AlertMessage, webhookBody } from './alert-text.ts'

const TIMEOUT_MS = 10_000
const MINUTE = 60_000
/** Messages in one request; a further minute sends more. */
const MOST = 20
/** What no webhook accepted in a day is old. */
const KEPT = 24 * 60 * MINUTE

/** Sends messages to the operator's webhook. Returns whether it accepted them; what it answers is logged, never its address. */
export async function postAlerts(url: string, service: string, messages: readonly AlertMessage[]): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: webhookBody(service, messages),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`It answered ${response.status}.`)
    return true
  } catch (error) {
    console.error('alert_not_sent', error instanceof Error ? error.message : 'unknown')
    return false
  }
}

/** Sends the messages that wait, a bounded number at a time. `now` in milliseconds. */
export async function sendMessages(db: D1Database, config: Config, now: number): Promise<void> {
  const { webhook } = config.alerts
  await deleteOldMessages(db, webhook === undefined ? now : now - KEPT)
  if (webhook === undefined) return
  const due = await claimMessages(db, MOST, { now, retryAt: now + MINUTE })
  if (due.length === 0) return
  const messages = due.map(({ body }): AlertMessage => JSON.parse(body))
  const ids = due.map(({ id }) => id)
  if (await postAlerts(webhook, config.baseUrl.host, messages)) await deleteMessages(db, ids)
}
