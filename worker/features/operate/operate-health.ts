import { formatAmount } from '../../../protocol/amount.ts'
import { BLOCKCHAINS, type Blockchain } from '../../../protocol/chains.ts'
import { agentContext } from '../../chain/follower/agent-context.ts'
import { selectChainState } from '../../chain/follower/chain-states.ts'
import { findAgentProblem } from '../../chain/follower/find-agent-problem.ts'
import { type Incident, selectIncidents } from '../../chain/follower/incidents.ts'
import { type Stop, selectStops } from '../../chain/follower/stops.ts'
import { findPolicyProblem } from '../../chain/rpc/data-policy.ts'
import { findWalletProblem, readBalance, WALLET_LOCKED } from '../../chain/rpc/fund-methods.ts'
import type { Env } from '../../platform/bindings.ts'
import { unixSeconds, unixSecondsOrNull } from '../../platform/clock.ts'
import type { ChainConfig } from '../../platform/config/config.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import { withTimeout } from '../../platform/flow/with-timeout.ts'
import { coinsJson } from '../../platform/http/coins-json.ts'
import { selectWaitingMails } from '../../platform/records/mail-queue.ts'
import { type ChainHealth, checkHealth } from '../health/check-health.ts'
import { readDatabaseSize } from '../health/database-size.ts'
import { selectBacklog } from '../items/sql/write-backlog.ts'
import { findKeyPoolProblem } from '../payments/check-key-pool.ts'
import { readLiquidity } from '../transactions/spendable-coins.ts'
import { differenceOf } from './difference-of.ts'
import { findRemedy } from './find-remedy.ts'
import { selectReconciliations } from './sql/reconciliations.ts'
import { stopJson } from './stop-chain.ts'

/** Timeout in milliseconds. A part that has not answered by then is reported as not answering. */
const TIMEOUT = 3_000
/** The empty block, which every gateway has without asking for it (CIDv1, raw, identity). */
const EMPTY_BLOCK = 'bafkqaaa'

/** How this service is, with the amounts and reasons that are the operator's alone, as JSON text. */
export async function operateHealth(env: Env, now: number): Promise<string> {
  const config = readConfig(env)
  const run = BLOCKCHAINS.filter((blockchain) => config.chains[blockchain].rpc.length > 0)
  const [health, up, mails, reconciled, size, ...chains] = await Promise.all([
    checkHealth(env, now),
    countGateways(config.ipfs.gateways),
    selectWaitingMails(env.DB),
    selectReconciliations(env.DB),
    readDatabaseSize(env.DB, config.databaseBytes, now),
    ...run.map(async (blockchain) => [blockchain, await describeChain(env, blockchain, now)] as const),
  ])
  const oldest = reconciled.length === 0 ? null : Math.min(...reconciled.map(({ readAt }) => readAt))
  const fields = {
    storage: health.storage,
    database: { ...size, daysLeft: size.daysLeft ?? null },
    gateways: { up, of: config.ipfs.gateways.length },
    mail: { waiting: mails },
    reconciledAt: unixSecondsOrNull(oldest),
    agrees: oldest === null ? null : reconciled.every((one) => differenceOf(one) === 0n),
    readAt: unixSeconds(now),
  }
  const texts = chains.map(([blockchain, described]) => {
    const known = health.chains[blockchain]
    return `${JSON.stringify(blockchain)}:${chainJson(known, described)}`
  })
  return coinsJson(fields, {}, { chains: `{${texts.join()}}` })
}

/** How a chain is, as its node, its wallet and the database say. */
interface Described {
  waiting: number
  oldestUnwritten: number | null
  usualMinutes: number
  free: bigint
  problem: string | undefined
  /** Why it does no new work, and what its wallet, which works, lacks. */
  reasons: { work: string | undefined; wallet: string | undefined }
  stops: Stop[]
  incidents: Incident[]
}

/** How a chain is at `now`, in milliseconds; asks its node for seconds at most, and never throws for it. */
export async function describeChain(env: Env, blockchain: Blockchain, now: number): Promise<Described> {
  const context = agentContext(env, blockchain)
  const [{ waiting, oldest }, state] = [
    await selectBacklog(env.DB, blockchain),
    await selectChainState(env.DB, blockchain),
  ]
  const problem = state.problem ?? findAgentProblem(state, now)
  const stops = await selectStops(env.DB, blockchain)
  const incidents = await selectIncidents(env.DB, blockchain)
  const [first] = stops
  const stopped = first && `${first.part} ${first.part === 'payouts' ? 'are' : 'is'} stopped: ${first.reason}`
  const backlog = {
    waiting,
    oldestUnwritten: oldest === undefined ? null : Math.max(0, Math.floor((now - oldest) / 1000)),
    stops,
    incidents,
  }
  const { blockSeconds = 0, confirmations = 0 } = context?.config.chains[blockchain] ?? {}
  const usualMinutes = Math.max(1, Math.round((2 * blockSeconds * confirmations) / 60))
  try {
    if (!context) throw new Error('no node of it is set')
    const { rpc } = context
    const asked = Promise.all([
      findWalletProblem(rpc, 1n),
      findPolicyProblem(rpc, blockchain, context.config.chains[blockchain].maxDataBytes, now),
      readLiquidity({ ...context, now }),
      readBalance(rpc),
      findKeyPoolProblem(env.DB, rpc, blockchain),
    ])
    const [wallet, policy, { free, promised }, held, keys] = await withTimeout(asked, TIMEOUT, 'its node')
    const short =
      free < promised ? `${formatAmount(free)} coins are free and ${formatAmount(promised)} are promised` : undefined
    const limits = findLimitProblem(held, context.config.chains[blockchain])
    return {
      ...backlog,
      usualMinutes,
      free,
      problem: wallet ?? problem ?? policy ?? stopped ?? short ?? incidents[0]?.reason ?? limits ?? keys,
      reasons: { work: wallet ?? problem ?? policy, wallet: short ?? limits ?? keys },
    }
  } catch (error) {
    const failure = error instanceof Error ? error.message : 'its node fails'
    return { ...backlog, usualMinutes, free: 0n, problem: failure, reasons: { work: failure, wallet: undefined } }
  }
}

/** A message if a wallet holds more or less than its operator has configured; base units. Pure. */
function findLimitProblem(
  held: bigint,
  { walletLeast, walletMost }: Pick<ChainConfig, 'walletLeast' | 'walletMost'>,
): string | undefined {
  if (walletMost !== undefined && held > walletMost) {
    return `the wallet holds ${formatAmount(held)}, above its limit of ${formatAmount(walletMost)}`
  }
  if (walletLeast !== undefined && held < walletLeast) {
    return `the wallet holds ${formatAmount(held)}, below ${formatAmount(walletLeast)}: new withdrawals wait`
  }
  return undefined
}

function chainJson(health: ChainHealth | undefined, described: Described): string {
  const { free, problem, reasons: _, stops, incidents, ...backlog } = described
  const known = health && 'height' in health ? health : undefined
  const fields = {
    height: known?.height ?? null,
    tip: known?.tip ?? null,
    step: known?.step ?? null,
    locked: known?.locked ?? problem === WALLET_LOCKED,
    payment: known && known.payment === undefined ? 'up' : 'down',
    setAside: known?.setAside ?? 0,
    ...backlog,
    reason: problem ?? (known ? null : 'no node of it answers'),
    remedy: known && problem === undefined ? null : findRemedy(problem),
    stops: stops.map(stopJson),
    incidents: incidents.map(({ since, ...incident }) => ({ ...incident, since: unixSeconds(since) })),
  }
  return coinsJson(fields, { free })
}

/** How many gateways answer. */
async function countGateways(gateways: readonly string[]): Promise<number> {
  const answers = await Promise.allSettled(
    gateways.map(async (gateway) => {
      const url = `${gateway.replace(/\/$/, '')}/ipfs/${EMPTY_BLOCK}?format=raw`
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT), redirect: 'manual' })
      await response.body?.cancel()
      if (response.status >= 500) throw new Error(`it answered ${response.status}`)
    }),
  )
  return answers.filter(({ status }) => status === 'fulfilled').length
}
