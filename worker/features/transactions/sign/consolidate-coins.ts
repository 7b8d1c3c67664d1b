import { CHAINS } from '../../../../protocol/chains.ts'
import { feeFor, transactionVsize } from '../../../../protocol/transaction-size.ts'
import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import { newChangeScript } from '../../../chain/rpc/address-methods.ts'
import { readMempoolTerms } from '../../../chain/rpc/fund-methods.ts'
import { sortCoins } from '../sort-coins.ts'
import { listFunds } from '../spendable-coins.ts'
import { type Coin, selectNextTxChainId } from '../sql/tx-chains.ts'
import { signAndStore } from './sign-and-store.ts'
import type { PlannedTransaction } from './tx-chain-plan.ts'

/** Coins of the wallet from which on it is worth making one of many. */
const PILE = 500
/** Inputs of one transaction: some 15,000 vbytes where they are of the largest kind. */
const MAX_GATHERED = 100
/** What a coin has to be worth, in fees for spending it. */
const WORTH = 3n

/** What was made one coin of; amounts in base units. */
export interface Consolidation {
  coins: number
  value: bigint
  fee: bigint
}

/**
 * Combines the smallest coins of the wallet, or the `largest`, into one. Only coins that no tx chain uses and that are
 * no customer's payment are used. Without `atOnce` there must be {@link PILE} of them, and the node must estimate a fee
 * rate below the one that is configured for it; with `atOnce`, two are enough. The transaction is signed and stored
 * here and sent by the next step, as all of ours are. `record` makes the entries that are written in the batch that
 * stores it. Returns `undefined` if there is nothing to do, or if another step planned in between.
 * @throws {NodeError} {@link RpcError}
 */
export async function consolidateCoins(
  context: AgentContext,
  {
    atOnce = false,
    largest = false,
    record = () => [],
  }: { atOnce?: boolean; largest?: boolean; record?: (made: Consolidation) => D1PreparedStatement[] } = {},
): Promise<Consolidation | undefined> {
  const { db, rpc, blockchain, config } = context
  const { spendable } = await listFunds(context)
  if (spendable.length < (atOnce ? 2 : PILE)) return undefined
  const { feeRate, estimated } = await readMempoolTerms(rpc, blockchain)
  const isLow = estimated && feeRate < config.chains[blockchain].consolidateBelow
  if (!atOnce && !isLow) return undefined
  const script = await newChangeScript(rpc, blockchain)
  const terms = { feeRate, script, dust: CHAINS[blockchain].dust, largest }
  const txChain = await selectNextTxChainId(db, blockchain)
  const transaction = planConsolidation(spendable, txChain, terms)
  // The largest: what frees the others, where fees rise, is paid from it.
  const coin = transaction?.spends.at(-1)
  if (!transaction || !coin) return undefined
  const plan = { transactions: [transaction], opened: [{ id: txChain, coin, script }], closed: [] }
  const { spends, change, fee } = transaction
  const made = { coins: spends.length, value: change, fee }
  if (!(await signAndStore(context, plan, undefined, () => record(made)))) return undefined
  console.info('coins_gathered', blockchain, `${spends.length} coins become one, for a fee of ${fee}`)
  return made
}

/** The transaction that gathers the smallest coins that are worth it, or the `largest`; `script` in hex. Pure. */
export function planConsolidation(
  coins: readonly Coin[],
  txChain: number,
  { feeRate, script, dust, largest }: { feeRate: bigint; script: string; dust: bigint; largest: boolean },
): PlannedTransaction | undefined {
  const output = script.length / 2
  const overhead = transactionVsize([], [output])
  const isWorth = (coin: Coin) =>
    coin.value > WORTH * feeFor(transactionVsize([coin.script], [output]) - overhead, feeRate)
  const worth = sortCoins(coins.filter(isWorth))
  const spends = largest ? worth.slice(-MAX_GATHERED) : worth.slice(0, MAX_GATHERED)
  if (spends.length < 2) return undefined
  const vsize = transactionVsize(
    spends.map((coin) => coin.script),
    [output],
  )
  const fee = feeFor(vsize, feeRate)
  const change = spends.reduce((sum, { value }) => sum + value, 0n) - fee
  if (change < dust) return undefined
  return { txChain, seq: 0, spends, payload: undefined, splits: [], script, change, fee, vsize }
}
