import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import type { Env } from '../bindings.ts'
import { readBestBlock } from '../chain/block-methods.ts'
import { findWalletProblem } from '../chain/fund-methods.ts'
import { postBatch } from '../chain/rpc-transport.ts'
import { walletRpc } from '../chain/wallet-rpc.ts'
import type { ChainConfig } from '../config/config.ts'
import { readConfig } from '../config/read-config.ts'
import { withTimeout } from '../flow/with-timeout.ts'

/** A part that doesn't answer by then is down, in milliseconds. */
const PART_TIMEOUT_MS = 3_000
const MAX_ANSWER_BYTES = 1 << 20

/** A chain with its height; `payment` is there when its wallet can't take new work. Reading goes on then. */
export type ChainHealth = { height: number; payment?: 'down' } | { status: 'down' }

/** How this service is; a chain without a node is left out. Why a part is down goes to the log only. */
export interface Health {
  status: 'ok' | 'down'
  chains: Partial<Record<Blockchain, ChainHealth>>
  storage: 'ok' | 'down'
}

/** Asks every part at once. Takes a few seconds at most, and never throws. */
export async function checkHealth(env: Env): Promise<Health> {
  const config = readConfig(env)
  const run = BLOCKCHAINS.filter((blockchain) => config.chains[blockchain].rpc.length > 0)
  const [storage, ...chains] = await Promise.all([
    checkStorage(env),
    ...run.map((blockchain) => checkChain(blockchain, config.chains[blockchain])),
  ])
  const down = storage === 'down' || chains.some((chain) => 'status' in chain)
  const byName = Object.fromEntries(run.map((blockchain, index) => [blockchain, chains[index]]))
  return { status: down ? 'down' : 'ok', chains: byName, storage }
}

async function checkStorage({ DB, BUCKET }: Pick<Env, 'DB' | 'BUCKET'>): Promise<'ok' | 'down'> {
  const asked = Promise.all([DB.prepare('SELECT 1').run(), BUCKET.head('health')])
  return await orDown(
    'storage',
    asked.then(() => 'ok' as const),
    'down' as const,
  )
}

async function checkChain(blockchain: Blockchain, chain: ChainConfig): Promise<ChainHealth> {
  const signal = AbortSignal.timeout(PART_TIMEOUT_MS)
  const options = { signal, maxBytes: MAX_ANSWER_BYTES, literalNumbers: true }
  // One node that answers is enough to read.
  const heights = Promise.any(
    chain.rpc.map(async (endpoint) => (await readBestBlock((calls) => postBatch(endpoint, calls, options))).height),
  )
  const height = await orDown(blockchain, heights, undefined)
  if (height === undefined) return { status: 'down' }
  return (await canPay(blockchain, chain)) ? { height } : { height, payment: 'down' }
}

async function canPay(blockchain: Blockchain, chain: ChainConfig): Promise<boolean> {
  const rpc = walletRpc(chain)
  if (!rpc) return false
  const problem = await orDown(blockchain, findWalletProblem(rpc, 1n), 'its node does not answer')
  if (problem !== undefined) console.error('payment_down', blockchain, problem)
  return problem === undefined
}

async function orDown<T, D>(part: string, answer: Promise<T>, down: D): Promise<T | D> {
  try {
    return await withTimeout(answer, PART_TIMEOUT_MS, part)
  } catch (error) {
    console.error('part_down', part, error)
    return down
  }
}
