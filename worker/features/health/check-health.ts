import type { IncidentCode, StopPart } from '../../../contract/states.ts'
import { BLOCKCHAINS, type Blockchain } from '../../../protocol/chains.ts'
import { selectChainState } from '../../chain/follower/chain-states.ts'
import { findNetworkProblem } from '../../chain/follower/check-network.ts'
import { selectFailedRecordCount } from '../../chain/follower/failed-records.ts'
import { findAgentProblem } from '../../chain/follower/find-agent-problem.ts'
import { selectIncidents } from '../../chain/follower/incidents.ts'
import { selectStoppedParts } from '../../chain/follower/stops.ts'
import { readBestBlock } from '../../chain/rpc/block-methods.ts'
import { findPolicyProblem } from '../../chain/rpc/data-policy.ts'
import { findWalletProblem, WALLET_LOCKED } from '../../chain/rpc/fund-methods.ts'
import { postBatch } from '../../chain/rpc/rpc-transport.ts'
import { readTransactionIndex } from '../../chain/rpc/transaction-index.ts'
import { type WalletRpc, walletRpc } from '../../chain/rpc/wallet-rpc.ts'
import type { Env } from '../../platform/bindings.ts'
import { now } from '../../platform/clock.ts'
import type { ChainConfig } from '../../platform/config/config.ts'
import type { RpcEndpoint } from '../../platform/config/parse-setting.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import { databaseState } from '../../platform/d1/database-room.ts'
import { withTimeout } from '../../platform/flow/with-timeout.ts'
import { minutesOfWaiting } from '../accounts/deliver-mail.ts'
import { selectHasOpen } from './has-open.ts'
import { selectMinuteRun } from './minute-runs.ts'

/** A part that doesn't answer by then is down, in milliseconds. */
const PART_TIMEOUT_MS = 3_000
/** The same of the question about its index, whose answer may stay unknown. */
const INDEX_TIMEOUT_MS = 2_000
const MAX_ANSWER_BYTES = 1 << 20

/**
 * A chain with its height, and how its agent is: seconds since a step ended and since a block came, where one is known,
 * and how many records are recorded as failed. `payment` is set when it cannot accept new work; reading still works then.
 */
interface AskedChain {
  height: number
  step?: number
  tip?: number
  /** The index of transactions, where no node that answers has a complete one. */
  index?: 'building' | 'missing'
  locked?: true
  payment?: 'down'
  setAside: number
  /** What is stopped, where anything is. */
  stopped?: StopPart[]
  /** What an operator has to look at, where there is anything. */
  incidents?: IncidentCode[]
  /** Where what the page helper pins is old. */
  checkpoint?: 'old'
}

/** `status` is there when no node answers or looks up every transaction, or when somebody waits for what can't be done. */
export type ChainHealth = AskedChain | (AskedChain & { status: 'down' }) | { status: 'down' }

/** How this service is; a chain without a node is left out. Why a part is down goes to the log only. */
export interface Health {
  status: 'ok' | 'down'
  chains: Partial<Record<Blockchain, ChainHealth>>
  storage: 'ok' | 'down'
  /** Where the database is nearly full. */
  database?: 'filling' | 'full'
  /** Seconds since all jobs of the minute last ended well, where they ever did. */
  minute?: number
  /** Where mails wait: nobody can sign up or reset a password. */
  mail?: 'waits'
}

/** Checks every part at once. Needs a few seconds at most, and never throws. */
export async function checkHealth(env: Env, time = now()): Promise<Health> {
  const config = readConfig(env)
  const run = BLOCKCHAINS.filter((blockchain) => config.chains[blockchain].rpc.length > 0)
  const [stored, ...chains] = await Promise.all([
    checkStorage(env, config.databaseBytes, time),
    ...run.map((blockchain) => checkChain(env.DB, blockchain, config.chains[blockchain], time)),
  ])
  const { storage, ...more } = stored
  const down = storage === 'down' || chains.some((chain) => 'status' in chain)
  const byName = Object.fromEntries(run.map((blockchain, index) => [blockchain, chains[index]]))
  return { status: down ? 'down' : 'ok', chains: byName, storage, ...more }
}

/** A row of a table that the newest migration made or changed: without it the first request would fail. */
const NEWEST_TABLE = 'SELECT (SELECT 1 FROM items LIMIT 1)'

async function checkStorage(
  { DB, BUCKET }: Pick<Env, 'DB' | 'BUCKET'>,
  databaseBytes: number,
  time: number,
): Promise<Pick<Health, 'storage' | 'database' | 'minute' | 'mail'>> {
  const asked = Promise.all([
    DB.prepare(NEWEST_TABLE).run(),
    minutesOfWaiting(DB, time),
    selectMinuteRun(DB),
    BUCKET.head('health'),
  ])
  const answered = await orDown('storage', asked, undefined)
  if (!answered) return { storage: 'down' }
  const [{ meta }, minutes, minuteRun] = answered
  const database = databaseState(meta.size_after, databaseBytes)
  if (database !== 'ok') console.error('database_filling', database, `${meta.size_after} of ${databaseBytes} bytes`)
  return {
    storage: 'ok',
    ...(database === 'ok' ? {} : { database }),
    ...(minuteRun === undefined ? {} : { minute: secondsSince(minuteRun, time) }),
    ...(minutes === undefined ? {} : { mail: 'waits' }),
  }
}

async function checkChain(
  db: D1Database,
  blockchain: Blockchain,
  chain: ChainConfig,
  time: number,
): Promise<ChainHealth> {
  const [node, agent, wallet, { checkpoints }] = await Promise.all([
    orDown(blockchain, findReadable(chain.rpc), undefined),
    orDown<AgentHealth, AgentHealth>(blockchain, checkAgent(db, blockchain, time), NOTHING_KNOWN),
    checkWallet(db, blockchain, chain, time),
    import('../../chain/checkpoints.ts'),
  ])
  const pinned = checkpoints[blockchain]?.time
  if (node === undefined) return { status: 'down' }
  const { height, index } = node
  if (index !== undefined) console.error('transactions_not_indexed', blockchain, index)
  const { step, tip, setAside, stopped, incidents } = agent
  const works = wallet === 'ok' && !agent.broken
  return {
    // Somebody waits for what can't be done: that is more than selling nothing.
    ...((!works && agent.open) || index !== undefined ? { status: 'down' } : {}),
    height,
    ...(index === undefined ? {} : { index }),
    ...(step === undefined ? {} : { step }),
    ...(tip === undefined ? {} : { tip }),
    ...(wallet === 'locked' ? { locked: true } : {}),
    ...(works ? {} : { payment: 'down' }),
    setAside,
    ...(stopped.length > 0 ? { stopped } : {}),
    ...(incidents.length > 0 ? { incidents } : {}),
    ...(pinned !== undefined && isOldCheckpoint(pinned, time) ? { checkpoint: 'old' } : {}),
  }
}

/** Whether a checkpoint of that time, in seconds, is over 90 days old: the difficulty may have changed much since. */
export function isOldCheckpoint(pinned: number, time: number): boolean {
  return time / 1000 - pinned > 90 * 86_400
}

interface ReadableNode {
  height: number
  index?: 'building' | 'missing'
}

/** A node that answers without a complete index of transactions. */
class NotIndexed extends Error {
  override name = 'NotIndexed'
  readonly node: ReadableNode

  constructor(node: ReadableNode) {
    super('The node cannot look up every transaction.')
    this.node = node
  }
}

/** The first node that looks up every transaction, as far as is known: one is enough to read. Without one, any that answers. */
async function findReadable(endpoints: readonly RpcEndpoint[]): Promise<ReadableNode> {
  const asked = endpoints.map(async (endpoint) => {
    const rpcWithin = (ms: number): WalletRpc => {
      const options = { signal: AbortSignal.timeout(ms), maxBytes: MAX_ANSWER_BYTES, literalNumbers: true }
      return (calls) => postBatch(endpoint, calls, options)
    }
    // In a request of its own: a proxy may refuse one with a method that it does not know.
    const [{ height }, index] = await Promise.all([
      readBestBlock(rpcWithin(PART_TIMEOUT_MS)),
      readTransactionIndex(rpcWithin(INDEX_TIMEOUT_MS)),
    ])
    if (index === 'building' || index === 'missing') throw new NotIndexed({ height, index })
    return { height }
  })
  try {
    return await Promise.any(asked)
  } catch (error) {
    const failures = error instanceof AggregateError ? error.errors : []
    const answered = failures.find((failure) => failure instanceof NotIndexed)
    if (answered instanceof NotIndexed) return answered.node
    throw error
  }
}

interface AgentHealth {
  /** Whether its steps fail, or are not run. */
  broken: boolean
  /** Whether somebody waits for it. */
  open: boolean
  step?: number | undefined
  tip?: number | undefined
  setAside: number
  stopped: StopPart[]
  incidents: IncidentCode[]
}

/** Where the database does not answer, which is reported as storage that is down. */
const NOTHING_KNOWN: AgentHealth = { broken: false, open: false, setAside: 0, stopped: [], incidents: [] }

async function checkAgent(db: D1Database, blockchain: Blockchain, time: number): Promise<AgentHealth> {
  const state = await selectChainState(db, blockchain)
  const setAside = await selectFailedRecordCount(db, blockchain)
  const problem = findAgentProblem(state, time)
  if (problem !== undefined) console.error('agent_fails', blockchain, problem)
  const age = (at: number | undefined) => (at === undefined ? undefined : secondsSince(at, time))
  const open = await selectHasOpen(db, blockchain)
  const stopped = [...(await selectStoppedParts(db, blockchain))].sort()
  const incidents = (await selectIncidents(db, blockchain)).map(({ code }) => code).sort()
  const ages = { step: age(state.steppedAt), tip: age(state.tipAt) }
  return { broken: problem !== undefined, open, ...ages, setAside, stopped, incidents }
}

function secondsSince(at: number, time: number): number {
  return Math.max(0, Math.floor((time - at) / 1000))
}

async function checkWallet(
  db: D1Database,
  blockchain: Blockchain,
  chain: ChainConfig,
  time: number,
): Promise<'ok' | 'locked' | 'down'> {
  const rpc = walletRpc(chain)
  if (!rpc) return 'down'
  const asked = async () => {
    const genesis = chain.genesis ?? (await selectChainState(db, blockchain)).genesis
    return (
      (await findNetworkProblem(rpc, genesis)) ??
      (await findWalletProblem(rpc, 1n)) ??
      (await findPolicyProblem(rpc, blockchain, chain.maxDataBytes, time))
    )
  }
  const problem = await orDown(blockchain, asked(), 'its node does not answer')
  if (problem === undefined) return 'ok'
  console.error('payment_down', blockchain, problem)
  return problem === WALLET_LOCKED ? 'locked' : 'down'
}

async function orDown<T, D>(part: string, answer: Promise<T>, down: D): Promise<T | D> {
  try {
    return await withTimeout(answer, PART_TIMEOUT_MS, part)
  } catch (error) {
    console.error('part_down', part, error)
    return down
  }
}
