import { outpointOf } from '../../../protocol/transaction.ts'
import { isKnownScript } from '../../../protocol/transaction-size.ts'
import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { mustWait } from '../../chain/follower/each-record.ts'
import { selectFailedRecords } from '../../chain/follower/failed-records.ts'
import { listCoins, type WalletCoin } from '../../chain/rpc/fund-methods.ts'
import { selectAddresses } from './sql/addresses.ts'
import { selectPromisedFees, selectPromisedPayouts } from './sql/promises.ts'
import { selectSpent, selectTxChainTips } from './sql/transactions.ts'
import { selectOpenTxChains } from './sql/tx-chains.ts'

/**
 * Confirmations after which a customer's payment may fund transactions of ours. Before, a reorganisation could remove
 * the output that a whole tx chain spends from.
 */
const CUSTOMER_DEPTH = 100

/** Coins of the wallet: what can be spent now, and customers' payments that can't yet. */
export interface WalletFunds {
  spendable: WalletCoin[]
  immature: WalletCoin[]
  /** Blocks until the first of the resting ones can be spent; `undefined` where there is none. */
  blocks: number | undefined
}

/** What reading coins needs of an agent's step. */
type CoinContext = Pick<AgentContext, 'db' | 'rpc' | 'blockchain' | 'config' | 'now'>

/** Confirmed coins of the wallet that none of our transactions spends and no withdrawal is tied to; recent payments are not spent yet. */
export async function listFunds({ db, rpc, blockchain, config, now }: CoinContext): Promise<WalletFunds> {
  const coins = await listCoins(rpc, config.chains[blockchain].confirmations, { restDepth: CUSTOMER_DEPTH })
  const ours = await selectAddresses(db, blockchain, [...new Set(coins.map(({ address }) => address))])
  const customers = new Set(ours.map(({ address }) => address))
  const spent = await selectSpent(db, blockchain, [...new Set(coins.map(({ txid }) => txid))])
  const unsignable = new Set(
    (await selectFailedRecords(db, blockchain, 'tx_chain')).filter((row) => mustWait(row, now)).map(({ id }) => id),
  )
  const free = coins.filter(
    (coin) => !spent.has(outpointOf(coin)) && !unsignable.has(outpointOf(coin)) && isKnownScript(coin.script),
  )
  const isImmature = ({ confirmations, address }: WalletCoin) =>
    confirmations < CUSTOMER_DEPTH && customers.has(address)
  const immature = free.filter(isImmature)
  const [blocks] = immature.map(({ confirmations }) => CUSTOMER_DEPTH - confirmations).sort((a, b) => a - b)
  return { spendable: free.filter((coin) => !isImmature(coin)), immature, blocks }
}

/** Base units that fees can be paid from, now and later. */
export interface Liquidity {
  /** In coins that may be spent, and at the ends of tx chains. */
  free: bigint
  /** In customers' payments that may not be spent yet, and the blocks until the first of them may. */
  immature: bigint
  blocks: number | undefined
  /** What open requests and unwritten items were quoted for the network's fees, and what withdrawals wait to be paid. */
  promised: bigint
}

/**
 * The money that fees and withdrawals can be paid from, and how much of it is promised.
 * @throws {NodeError} {@link RpcError}
 */
export async function readLiquidity(context: CoinContext): Promise<Liquidity> {
  const { db, blockchain } = context
  const { spendable, immature, blocks } = await listFunds(context)
  const listed = new Set(spendable.map(outpointOf))
  const held = (await selectEnds(context)).filter((end) => !listed.has(outpointOf(end)))
  const promised = (await selectPromisedFees(db, blockchain)) + (await selectPromisedPayouts(db, blockchain))
  return { free: sum(spendable) + sum(held), immature: sum(immature), blocks, promised }
}

/** Coins that may be spent now and that are not the end of an open tx chain. @throws {NodeError} {@link RpcError} */
export async function listFreeCoins(context: CoinContext): Promise<WalletCoin[]> {
  const ends = new Set((await selectEnds(context)).map(outpointOf))
  return (await listFunds(context)).spendable.filter((coin) => !ends.has(outpointOf(coin)))
}

/** What the open tx chains go on from. */
async function selectEnds({ db, blockchain }: CoinContext): Promise<Pick<WalletCoin, 'txid' | 'vout' | 'value'>[]> {
  const txChains = await selectOpenTxChains(db, blockchain)
  const tips = new Map((await selectTxChainTips(db, blockchain)).map((tip) => [tip.txChain, tip]))
  return txChains.map(({ id, coin }) => {
    const tip = tips.get(id)
    return tip ? { txid: tip.txid, vout: tip.changeVout, value: tip.changeValue } : coin
  })
}

function sum(coins: readonly { value: bigint }[]): bigint {
  return coins.reduce((total, { value }) => total + value, 0n)
}
