import { BLOCKCHAINS } from '../../../../protocol/chains.ts'
import type { ChainAgentRpc, Env } from '../../../platform/bindings.ts'
import { readConfig } from '../../../platform/config/read-config.ts'
import { withTimeout } from '../../../platform/flow/with-timeout.ts'
import type { AlertMessage } from './alert-text.ts'
import { postAlerts } from './tell-webhook.ts'

type Act = Parameters<ChainAgentRpc['markDatabaseAlert']>[0]

const KEY = 'database-alert'
/** It is told at most so often, in milliseconds: nothing else would bound what a database causes that comes and goes. */
const TOLD_EVERY = 3_600_000
const TIMEOUT_MS = 5_000

/** When it was last told that the database does not answer, in milliseconds, and whether that it does again was not told yet. */
interface DatabaseMark {
  at: number
  open: boolean
}

/** What the mark becomes, and whether something is to be told. Pure. */
export function decideMark(
  mark: DatabaseMark | undefined,
  act: Act,
  now: number,
): { mark?: DatabaseMark; tell: boolean } {
  if (act === 'release') return { mark: { at: Number.NEGATIVE_INFINITY, open: false }, tell: false }
  if (act === 'claim') {
    if (mark && now - mark.at < TOLD_EVERY) return { tell: false }
    return { mark: { at: now, open: true }, tell: true }
  }
  return mark?.open ? { mark: { ...mark, open: false }, tell: true } : { tell: false }
}

/** {@link decideMark} on the storage of an object, which a database that is down does not take along. */
export async function markDatabaseAlert(storage: DurableObjectStorage, act: Act, now: number): Promise<boolean> {
  return await storage.transaction(async (stored) => {
    const { mark, tell } = decideMark(await stored.get<DatabaseMark>(KEY), act, now)
    if (mark) await stored.put(KEY, mark)
    return tell
  })
}

/**
 * Whether the database answers. Where it does not, and where it does again, the webhook is told without it, at most once an
 * hour each.
 */
export async function watchDatabase(env: Env): Promise<boolean> {
  const answers = await withTimeout(env.DB.prepare('SELECT 1').run(), TIMEOUT_MS, 'D1').then(
    () => true,
    (error: unknown) => {
      console.error('database_down', error instanceof Error ? error.message : 'unknown')
      return false
    },
  )
  const config = readConfig(env)
  const { webhook } = config.alerts
  if (webhook === undefined) return answers
  const agent = env.CHAIN_AGENT.get(env.CHAIN_AGENT.idFromName(BLOCKCHAINS[0]))
  if (!(await agent.markDatabaseAlert(answers ? 'end' : 'claim'))) return answers
  const detail = 'no statement is answered; pages are served from caches, and nothing is sold'
  const message: AlertMessage = { state: answers ? 'over' : 'raised', name: 'database_down', subject: '', detail }
  const isTold = await postAlerts(webhook, config.baseUrl.host, [message])
  // In a minute again, rather than in an hour.
  if (!isTold && !answers) await agent.markDatabaseAlert('release')
  return answers
}
