import { BLOCKCHAINS, CHAINS } from '../../protocol/chains.ts'
import { TIP_OLD_BLOCKS } from '../../worker/features/operate/alerts/sign-table.ts'
import { isRecord } from '../../worker/platform/http/is-record.ts'
import type { Target } from './target.ts'

/** Seconds. */
const [MINUTE_MOST, STEP_MOST, HOUR] = [180, 300, 3600]

export function checkStorage({ health }: Target): string | undefined {
  if (health.storage !== 'ok') return 'D1 or R2 does not answer: look at the log'
  return health.database === undefined
    ? undefined
    : `the database is ${String(health.database)}: see the runbook "Database full"`
}

/** The job of the minute, which the platform calls. */
export function checkMinute({ health }: Target): string | undefined {
  if (typeof health.minute !== 'number') return 'it has never ended well: look for job_failed in the log'
  if (health.minute < MINUTE_MOST) return undefined
  return `it last ended well ${health.minute} seconds ago: look for job_failed in the log, and at the cron trigger`
}

export function checkMail({ health }: Target): string | undefined {
  return health.mail === undefined ? undefined : 'mails wait: see the runbook "Mail down"'
}

/** Whether nodes answer and something can be bought on each chain. */
export function checkChains({ health }: Target): string | undefined {
  return ofEachChain(health, (chain) => {
    if (chain.index !== undefined) return 'no node has a complete index of transactions'
    if (chain.status === 'down') return 'its node, wallet or agent does not work'
    if (chain.locked === true) return 'its wallet is locked'
    if (chain.payment === 'down') return 'it accepts no payment: see the runbook "Node behind"'
    const stopped = Array.isArray(chain.stopped) ? chain.stopped.join(' and ') : ''
    if (stopped) return `${stopped} is stopped: see GET /v0/operate/health`
    return undefined
  })
}

/** How old the newest block of each chain is. */
export function checkTips({ health }: Target): string | undefined {
  return ofEachChain(health, ({ tip, step }, blockSeconds) => {
    if (typeof step !== 'number' || typeof tip !== 'number') return 'it was not followed yet'
    if (step > STEP_MOST) return `its agent has ended no step for ${step} s`
    if (tip < Math.max(HOUR, TIP_OLD_BLOCKS * blockSeconds)) return undefined
    return `its newest block came ${Math.floor(tip / 60)} minutes ago: see the runbook "Node behind"`
  })
}

function ofEachChain(
  { chains }: Record<string, unknown>,
  check: (chain: Record<string, unknown>, blockSeconds: number) => string | undefined,
): string | undefined {
  const offered = isRecord(chains) ? chains : {}
  const problems = BLOCKCHAINS.flatMap((blockchain) => {
    const chain = offered[blockchain]
    const found = isRecord(chain) ? check(chain, CHAINS[blockchain].blockSeconds) : undefined
    return found === undefined ? [] : [`${blockchain}: ${found}`]
  })
  if (Object.keys(offered).length === 0) return 'it offers no chain'
  return problems.join('; ') || undefined
}
