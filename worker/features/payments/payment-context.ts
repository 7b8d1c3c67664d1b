import { formatAmount } from '../../../protocol/amount.ts'
import type { Blockchain, StorageTarget } from '../../../protocol/chains.ts'
import { selectChainState } from '../../chain/follower/chain-states.ts'
import { findNetworkProblem } from '../../chain/follower/check-network.ts'
import { findAgentProblem } from '../../chain/follower/find-agent-problem.ts'
import { selectStoppedParts } from '../../chain/follower/stops.ts'
import { readBestBlock } from '../../chain/rpc/block-methods.ts'
import { findPolicyProblem } from '../../chain/rpc/data-policy.ts'
import { findWalletProblem } from '../../chain/rpc/fund-methods.ts'
import { NodeError } from '../../chain/rpc/rpc-transport.ts'
import { CALLER_TIMEOUT_MS, RpcError, type WalletRpc, walletRpc } from '../../chain/rpc/wallet-rpc.ts'
import { now } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { payChain } from '../../platform/config/pay-chain.ts'
import { type AppError, unavailable } from '../../platform/http/errors.ts'
import { readLiquidity } from '../transactions/spendable-coins.ts'

/** What a payment endpoint works with. */
export interface PaymentContext {
  db: D1Database
  config: Config
  /** The node with the wallet of a chain, where the operator runs one. */
  rpcOf(blockchain: Blockchain): WalletRpc | undefined
  /** Milliseconds. */
  now: number
}

/** What the payment endpoints work with for one request, whose caller waits. */
export function requestContext(db: D1Database, config: Config): PaymentContext {
  return { db, config, rpcOf: (blockchain) => walletRpc(config.chains[blockchain], CALLER_TIMEOUT_MS), now: now() }
}

/** The 503 error of the payment endpoints (docs/behaviour/payments.md). The reason appears in the log only. */
export function paymentUnavailable(target: StorageTarget, reason: unknown): AppError {
  return unavailable('payment_unavailable', `Payment with ${target} is unavailable at the moment.`, {
    retryAfter: 30,
    cause: reason,
  })
}

/** Runs `work` with the wallet's node. @throws {AppError} 503 where there is none or it fails. */
export async function withWallet<T>(
  context: PaymentContext,
  target: StorageTarget,
  work: (rpc: WalletRpc) => Promise<T>,
): Promise<T> {
  const blockchain = payChain(target, context.config)
  const rpc = context.rpcOf(blockchain)
  if (!rpc) throw paymentUnavailable(target, `RPC_${blockchain.toUpperCase()} is not set`)
  try {
    return await work(rpc)
  } catch (error) {
    if (error instanceof NodeError || error instanceof RpcError) throw paymentUnavailable(target, error)
    throw error
  }
}

/**
 * Lets a new request through only when it could be served: the node is on the right network and in step with its
 * chain, its wallet is open and has `need` base units for the fees, beside what all that is open was promised and not
 * counting customers' payments that must not be spent yet, and the chain's agent can work.
 * @throws {AppError} 503
 */
export async function requireWallet(
  { db, config, now }: PaymentContext,
  rpc: WalletRpc,
  target: StorageTarget,
  need: bigint,
): Promise<void> {
  const blockchain = payChain(target, config)
  const state = await selectChainState(db, blockchain)
  const stuck = findAgentProblem(state, now)
  // At the same time: one after the other they are ten questions to node and database, for which the payer waits.
  const [walletProblem, networkProblem, best, liquidityProblem] = await Promise.all([
    findWalletProblem(rpc, need),
    findNetworkProblem(rpc, config.chains[blockchain].genesis ?? state.genesis),
    readBestBlock(rpc),
    need > 0n ? findLiquidityProblem({ db, rpc, blockchain, config, now }, need) : undefined,
  ])
  const problem =
    walletProblem ??
    networkProblem ??
    (best.syncing ? 'the node is syncing' : undefined) ??
    (stuck === undefined ? undefined : `the agent can't work: ${stuck}`) ??
    liquidityProblem
  if (problem !== undefined) throw paymentUnavailable(target, problem)
}

/**
 * Accepts an order only if it can be written: the operator has not stopped writing.
 * @throws {AppError} 503
 */
export async function requireWriting(db: D1Database, target: StorageTarget): Promise<void> {
  if (target === 'IPFS' || !(await selectStoppedParts(db, target)).has('writing')) return
  throw paymentUnavailable(target, 'its operator has stopped writing')
}

/**
 * Accepts an order only if its transactions can be written: the node's policy accepts as much data per transaction as
 * is configured.
 * @throws {AppError} 503; {@link NodeError}
 */
export async function requirePolicy(
  { config, now }: Pick<PaymentContext, 'config' | 'now'>,
  rpc: WalletRpc,
  target: StorageTarget,
): Promise<void> {
  if (target === 'IPFS') return
  const problem = await findPolicyProblem(rpc, target, config.chains[target].maxDataBytes, now)
  if (problem === undefined) return
  throw unavailable(
    'node_policy',
    `Nothing can be written to ${target} at the moment: its node's policy allows less data than the service is configured to write.`,
    {
      retryAfter: 600,
      cause: problem,
    },
  )
}

/** Why a request that needs so much for the network's fees could not be written when it is paid. */
async function findLiquidityProblem(
  context: Parameters<typeof readLiquidity>[0],
  need: bigint,
): Promise<string | undefined> {
  const { free, immature, blocks, promised } = await readLiquidity(context)
  if (free >= promised + need) return undefined
  const later = blocks === undefined ? '' : `; payments of ${formatAmount(immature)} can be spent in ${blocks} blocks`
  return (
    `the wallet has ${formatAmount(free)} free for fees, ${formatAmount(promised)} of it promised, ` +
    `and ${formatAmount(need)} are needed${later}`
  )
}
