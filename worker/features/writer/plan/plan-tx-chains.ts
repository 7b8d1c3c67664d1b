import { feeFor, transactionVsize } from '../../../../protocol/transaction-size.ts'
import { nineTenths } from '../../transactions/sign/tx-chain-fees.ts'
import {
  mostTxChains,
  TX_CHAIN_LENGTH,
  type TxChainLimits,
  txChainsWorth,
} from '../../transactions/sign/tx-chain-limits.ts'
import type { Payload, TxChainPlan, TxChainState } from '../../transactions/sign/tx-chain-plan.ts'
import { sortCoins } from '../../transactions/sort-coins.ts'
import type { Coin } from '../../transactions/sql/tx-chains.ts'
import { addTransaction, type BuildingTxChain, openTxChain, sizeAndFee, spentScripts } from './building-tx-chain.ts'

export interface PlanInput {
  txChains: readonly TxChainState[]
  /** Confirmed outputs of the wallet that no tx chain has. */
  coins: readonly Coin[]
  /** What can be written now, in the order in which it should be. */
  queue: readonly Payload[]
  /** All that is left to be written, `queue` included: how many tx chains it is worth, and with how much money. */
  remaining: { transactions: number }
  /** The highest fee rate that is paid for each item, base units per 1,000 vbytes. */
  ceilings: ReadonlyMap<string, bigint>
  /** Tx chains that are filled at a time. Four times as many may be open, those that nothing moves in included. */
  maxTxChains: number
  limits: TxChainLimits
  /** Base units per 1,000 vbytes. */
  feeRate: bigint
  /** Of items that pay more than that. */
  rates: ReadonlyMap<string, bigint>
  dust: bigint
  /** Script of change in tx chains that are opened now, hex. */
  changeScript: string
  nextTxChainId: number
}

/**
 * Assigns the next payloads to tx chains. Tx chains are opened with coins of the wallet; where there are too few, a transaction of
 * the richest tx chain splits coins off, and the tx chains that start from those wait for a block. A tx chain in which nothing moves
 * receives nothing and does not count. The tx chains' money and limits and the order of each item's payloads are respected;
 * payloads without room are left to the next plan. Pure.
 */
export function planTxChains(input: PlanInput): TxChainPlan {
  const { queue, remaining, feeRate, dust } = input
  const plan: TxChainPlan = { transactions: [], opened: [], closed: [], waiting: new Map() }
  if (queue.length === 0) return plan
  const largest = Math.max(...queue.map(({ length }) => length))
  const usual = sizeAndFee([input.changeScript], largest, 0, input.changeScript, feeRate).fee
  const ids = { next: input.nextTxChainId }

  const txChains: BuildingTxChain[] = []
  for (const state of input.txChains) {
    const txChain = buildOn(state)
    const poor = isPoor(txChain, input)
    if (txChain.ready && txChain.unconfirmed === 0 && poor) plan.closed.push(txChain.id)
    else txChains.push({ ...txChain, moves: txChain.moves && !poor })
  }
  const moving = txChains.filter((txChain) => txChain.moves)
  const wanted = txChainsWorth(remaining.transactions, input.maxTxChains, input.limits.count)
  const room = () => mostTxChains(input.maxTxChains) - txChains.length
  // A tx chain is worth opening when it has money for a run of transactions; better, for its share of all.
  const run = BigInt(Math.min(TX_CHAIN_LENGTH, remaining.transactions)) * usual + dust
  const share = usual * BigInt(Math.ceil((remaining.transactions * 11) / (wanted * 10)) + TX_CHAIN_LENGTH) + dust
  const urgent = queue.some((payload) => !moving.some((txChain) => affords(txChain, payload, input)))
  const purse = chooseCoins(input.coins, run, urgent, feeRate)
  const usable = moving.filter((txChain) => txChain.ready && txChain.unconfirmed < input.limits.count)
  const openNext = () => {
    const coins = room() > 0 ? purse.shift() : undefined
    const txChain = coins && openTxChain(plan, ids.next++, coins, input.changeScript)
    if (txChain) for (const list of [txChains, moving, usable]) list.push(txChain)
    return txChain
  }
  while (moving.length < wanted && openNext());
  let missing = Math.min(wanted - moving.length, room())
  let turn = 0
  const left = new Set<string>()
  for (const payload of queue) {
    if (left.has(payload.itemId)) continue
    // One that would wait behind cheaper ones in every tx chain, or that none has the money for, gets a tx chain of its own.
    const alone = !moving.some((txChain) => suits(txChain, payload, input) && affords(txChain, payload, input))
    const txChain = nextTxChain(usable, turn, payload, input) ?? (alone ? openNext() : undefined)
    if (!txChain) {
      left.add(payload.itemId)
      if (alone) plan.waiting.set(payload.itemId, room() > 0 ? 'coins' : 'tx chains')
      continue
    }
    turn = usable.indexOf(txChain) + 1
    const splits =
      missing > 0 && txChain === richest(usable) ? planSplits(txChain, payload, missing, { run, share }, input) : []
    missing = splits.length > 0 ? 0 : missing
    addTransaction(
      plan,
      txChain,
      payload,
      splits.map((value) => ({ txChain: ids.next++, value })),
      input,
    )
  }
  return plan
}

/**
 * Whether a payload may be added behind the unconfirmed transactions of a tx chain: all of them together, with the
 * payload, may pay nine tenths of the highest ceiling among them. So no payload waits for lower fees although its own
 * price covers the present ones.
 */
function suits(
  { unconfirmed, vbytes, most, dearest, script }: Omit<BuildingTxChain, 'spends' | 'value'>,
  { itemId, length }: Payload,
  { ceilings }: Pick<PlanInput, 'ceilings'>,
): boolean {
  const ceiling = ceilings.get(itemId)
  if (unconfirmed === 0 || most === undefined || ceiling === undefined) return true
  const { vsize } = sizeAndFee([script], length, 0, script, 0n)
  const highest = ceiling > dearest ? ceiling : dearest
  return most + feeFor(vsize, ceiling) >= feeFor(vbytes + vsize, nineTenths(highest))
}

/** Whether a tx chain must be opened for the queue, if there are coins for that. Pure. */
export function lacksTxChains(
  input: Pick<PlanInput, 'txChains' | 'queue' | 'ceilings' | 'rates' | 'feeRate' | 'dust'>,
  wanted: number,
): boolean {
  const moving = input.txChains.map(buildOn).filter((txChain) => txChain.moves && !isPoor(txChain, input))
  const hasRoom = (payload: Payload) =>
    moving.some((txChain) => suits(txChain, payload, input) && affords(txChain, payload, input))
  return moving.length < wanted || !input.queue.every(hasRoom)
}

function buildOn({ tip, ...txChain }: TxChainState): BuildingTxChain {
  return { ...txChain, spends: [tip], value: tip.value }
}

type Prices = Pick<PlanInput, 'rates' | 'feeRate' | 'dust'>

/** Whether a tx chain has the money for a payload. */
function affords(
  txChain: Pick<BuildingTxChain, 'spends' | 'script' | 'value'>,
  { itemId, length }: Payload,
  { rates, feeRate, dust }: Prices,
): boolean {
  const { fee } = sizeAndFee(spentScripts(txChain), length, 0, txChain.script, rates.get(itemId) ?? feeRate)
  return txChain.value - fee >= dust
}

/** Whether a tx chain has not the money for anything that is in the queue: it counts as none. */
function isPoor(txChain: BuildingTxChain, input: Prices & Pick<PlanInput, 'queue'>): boolean {
  return !input.queue.some((payload) => affords(txChain, payload, input))
}

/** Most inputs that are gathered for a new tx chain when no coin is large enough. */
const MAX_GATHERED = 100

/**
 * Coins for new tx chains, the largest first, one each; where something is in the queue that no tx chain has the money for (`urgent`) and no
 * coin has money for a run, all of the largest together.
 */
function chooseCoins(coins: readonly Coin[], run: bigint, urgent: boolean, feeRate: bigint): (readonly Coin[])[] {
  const sorted = sortCoins(coins).reverse()
  const large = sorted.filter(({ value }) => value >= run)
  if (large.length > 0 || !urgent) return large.map((coin) => [coin])
  // A coin that costs more to spend than it is worth does not help.
  const useful = sorted.filter(({ value, script }) => value > feeFor(transactionVsize([script], []), feeRate))
  return useful.length > 0 ? [useful.slice(0, MAX_GATHERED)] : []
}

/** The next tx chain in turn that suits the payload and has room and money for it. */
function nextTxChain(
  txChains: readonly BuildingTxChain[],
  turn: number,
  payload: Payload,
  input: PlanInput,
): BuildingTxChain | undefined {
  const { feeRate, rates, limits } = input
  const rate = rates.get(payload.itemId) ?? feeRate
  for (let tried = 0; tried < txChains.length; tried++) {
    const txChain = txChains[(turn + tried) % txChains.length]
    if (!txChain || txChain.unconfirmed >= limits.count || !suits(txChain, payload, input)) continue
    const { vsize } = sizeAndFee(spentScripts(txChain), payload.length, 0, txChain.script, rate)
    if (txChain.unconfirmed > 0 && txChain.vbytes + vsize > limits.vbytes) continue
    if (affords(txChain, payload, input)) return txChain
  }
  return undefined
}

function richest(txChains: readonly BuildingTxChain[]): BuildingTxChain | undefined {
  return txChains.reduce<BuildingTxChain | undefined>(
    (best, txChain) => (best && best.value >= txChain.value ? best : txChain),
    undefined,
  )
}

/** Values of the coins to split off a tx chain, as many and as much as it can spare; none when that is less than a run. */
function planSplits(
  txChain: BuildingTxChain,
  payload: Payload,
  count: number,
  { run, share }: { run: bigint; share: bigint },
  { feeRate, rates, dust }: PlanInput,
): bigint[] {
  const rate = rates.get(payload.itemId) ?? feeRate
  const { fee } = sizeAndFee(spentScripts(txChain), payload.length, count, txChain.script, rate)
  const spare = txChain.value - fee - dust
  const part = spare / BigInt(count + 1)
  const value = part < share ? part : share
  return value < run ? [] : new Array<bigint>(count).fill(value)
}
