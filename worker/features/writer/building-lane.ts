import { dataScriptLength, feeFor, transactionVsize } from '../../../protocol/transaction-size.ts'
import type { Coin } from '../wallet/sql/lanes.ts'
import type { LaneCeiling } from './lane-fees.ts'
import type { Payload, Plan, PlannedTransaction } from './lane-plan.ts'

/** A lane while transactions are added to it. */
export interface BuildingLane extends LaneCeiling {
  id: number
  script: string
  seq: number
  unconfirmed: number
  vbytes: number
  ready: boolean
  moves: boolean
  /** What the next transaction spends: nothing but the change of the one before when this is empty. */
  spends: readonly Coin[]
  value: bigint
}

/** Base units per 1,000 vbytes: what is asked now, the most of each item, and of items that pay more than what is asked. */
interface Rates {
  feeRate: bigint
  ceilings: ReadonlyMap<string, bigint>
  rates: ReadonlyMap<string, bigint>
}

/** Begins a lane with coins of the wallet. */
export function openLane(plan: Plan, id: number, coins: readonly Coin[], script: string): BuildingLane {
  const [coin] = coins
  if (coin) plan.opened.push({ id, coin, script })
  const nothing = { seq: 0, unconfirmed: 0, vbytes: 0, most: 0n, dearest: 0n }
  return { id, script, ...nothing, ready: true, moves: true, spends: coins, value: sumCoins(coins) }
}

/** Appends a transaction to a lane's end, whatever is left for `change`. */
export function addTransaction(
  plan: Pick<Plan, 'transactions'>,
  lane: BuildingLane,
  payload: Payload | undefined,
  splits: PlannedTransaction['splits'],
  { feeRate, ceilings, rates }: Rates,
): void {
  const rate = (payload && rates.get(payload.itemId)) ?? feeRate
  const { vsize, fee } = sizeAndFee(spentScripts(lane), payload?.length, splits.length, lane.script, rate)
  const change = splits.reduce((left, { value }) => left - value, lane.value - fee)
  const { id, seq, spends, script } = lane
  plan.transactions.push({ lane: id, seq, spends, payload, splits, script, change, fee, vsize })
  lane.spends = []
  lane.value = change
  lane.seq++
  lane.unconfirmed++
  lane.vbytes += vsize
  const ceiling = payload && ceilings.get(payload.itemId)
  lane.most = lane.most === undefined || ceiling === undefined ? undefined : lane.most + feeFor(vsize, ceiling)
  if (ceiling !== undefined && ceiling > lane.dearest) lane.dearest = ceiling
}

/** Scripts of what the next transaction of a lane spends, hex. */
export function spentScripts({ spends, script }: BuildingLane): string[] {
  return spends.length > 0 ? spends.map((coin) => coin.script) : [script]
}

/** Virtual bytes and fee of a transaction of a lane with so many bytes of data and so many coins split off. */
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
