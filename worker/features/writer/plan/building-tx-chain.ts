import { dataScriptLength, feeFor, transactionVsize } from '../../../../protocol/transaction-size.ts'
import type { Payload, Plan, PlannedTransaction, TxChainState } from '../../transactions/sign/tx-chain-plan.ts'
import type { Coin } from '../../transactions/sql/tx-chains.ts'

/** A tx chain while transactions are added to it. */
export interface BuildingTxChain extends Omit<TxChainState, 'tip' | 'most'> {
  /** As in a {@link TxChainState}; `undefined`, no limit, once it pays for something that carries nothing. */
  most: bigint | undefined
  /** What the next transaction spends: nothing but the change of the one before when this is empty. */
  spends: readonly Coin[]
  value: bigint
}

/** Base units per 1,000 vbytes: the present fee rate, the ceiling of each item, and the rates of items that pay more. */
interface Rates {
  feeRate: bigint
  ceilings: ReadonlyMap<string, bigint>
  rates: ReadonlyMap<string, bigint>
}

/** Begins a tx chain with coins of the wallet. */
export function openTxChain(plan: Plan, id: number, coins: readonly Coin[], script: string): BuildingTxChain {
  const [coin] = coins
  if (coin) plan.opened.push({ id, coin, script })
  const nothing = { seq: 0, unconfirmed: 0, vbytes: 0, most: 0n, dearest: 0n }
  return { id, script, ...nothing, ready: true, moves: true, spends: coins, value: sumCoins(coins) }
}

/** Appends a transaction to a tx chain's end, even if its change is too small. */
export function addTransaction(
  plan: Pick<Plan, 'transactions'>,
  txChain: BuildingTxChain,
  payload: Payload | undefined,
  splits: PlannedTransaction['splits'],
  { feeRate, ceilings, rates }: Rates,
): void {
  const rate = (payload && rates.get(payload.itemId)) ?? feeRate
  const { vsize, fee } = sizeAndFee(spentScripts(txChain), payload?.length, splits.length, txChain.script, rate)
  const change = splits.reduce((left, { value }) => left - value, txChain.value - fee)
  const { id, seq, spends, script } = txChain
  plan.transactions.push({ txChain: id, seq, spends, payload, splits, script, change, fee, vsize })
  txChain.spends = []
  txChain.value = change
  txChain.seq++
  txChain.unconfirmed++
  txChain.vbytes += vsize
  const ceiling = payload && ceilings.get(payload.itemId)
  txChain.most = txChain.most === undefined || ceiling === undefined ? undefined : txChain.most + feeFor(vsize, ceiling)
  if (ceiling !== undefined && ceiling > txChain.dearest) txChain.dearest = ceiling
}

/** Scripts of what the next transaction of a tx chain spends, hex. */
export function spentScripts({ spends, script }: Pick<BuildingTxChain, 'spends' | 'script'>): string[] {
  return spends.length > 0 ? spends.map((coin) => coin.script) : [script]
}

/** Virtual bytes and fee of a transaction of a tx chain with so many bytes of data and so many coins split off. */
export function sizeAndFee(
  spent: readonly string[],
  dataLength: number | undefined,
  splits: number,
  script: string,
  feeRate: bigint,
): { vsize: number; fee: bigint } {
  const data = dataLength === undefined ? [] : [dataScriptLength(dataLength)]
  const vsize = transactionVsize(spent, [...data, ...new Array<number>(splits + 1).fill(script.length / 2)])
  return { vsize, fee: feeFor(vsize, feeRate) }
}

function sumCoins(coins: readonly Coin[]): bigint {
  return coins.reduce((sum, { value }) => sum + value, 0n)
}
