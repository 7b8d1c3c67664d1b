import { dataScriptLength, feeFor, transactionVsize } from '../../../protocol/transaction-size.ts'
import type { Coin } from '../wallet/sql/lanes.ts'
import { type LaneCeiling, nineTenths } from './lane-fees.ts'
import { sortCoins } from './sort-coins.ts'

/**
 * Unconfirmed transactions in a lane on a node that names no limit of a cluster: one less than such nodes allow, so that there
 * is room for one that pays for all.
 */
export const LANE_LENGTH = 24

/** On a node that names one, which may be any number: what is signed for all lanes at once is kept and sent as a whole. */
const MAX_LANE_LENGTH = 99

/** Virtual bytes that may wait in a lane, its bump left aside: half of a block of Bitcoin Core, so that all of it fits into one. */
export const LANE_VBYTES = 450_000

/** What may wait unconfirmed in a lane. */
export interface LaneLimits {
  count: number
  vbytes: number
}

/** The limits of a lane on a node that names limits of a cluster: below them, with room for one that pays for all. */
export function laneLimits(cluster: Partial<LaneLimits>): LaneLimits {
  return {
    count: cluster.count === undefined ? LANE_LENGTH : Math.max(1, Math.min(MAX_LANE_LENGTH, cluster.count - 1)),
    vbytes: Math.min(LANE_VBYTES, Math.floor((cluster.vbytes ?? Number.POSITIVE_INFINITY) * 0.9)),
  }
}

/** A lane as planning sees it, with what its unconfirmed transactions may pay. */
export interface LaneState extends LaneCeiling {
  id: number
  /** What its next transaction spends. */
  tip: Coin
  /** Script of its change, hex. */
  script: string
  /** Number of its next transaction. */
  seq: number
  unconfirmed: number
  /** Virtual bytes of what is unconfirmed. */
  vbytes: number
  /** Whether a transaction can be added now; a lane from a split waits until the split is mined. */
  ready: boolean
  /** Whether what waits in it pays what is asked now, or can be raised to that; `false` also where the node refuses it. */
  moves: boolean
}

/** A piece of an item, to be carried by one transaction; `length` in bytes. */
export interface Payload {
  itemId: string
  index: number
  length: number
}

export interface PlanInput {
  lanes: readonly LaneState[]
  /** Confirmed outputs of the wallet that no lane has. */
  coins: readonly Coin[]
  /** What can be written now, in the order in which it should be. */
  queue: readonly Payload[]
  /** All that is left to be written, `queue` included: how many lanes it is worth, and with how much money. */
  remaining: { transactions: number }
  /** The highest fee rate that is paid for each item, base units per 1,000 vbytes; one without a quote has none. */
  ceilings: ReadonlyMap<string, bigint>
  /** Lanes that are filled at a time. Four times as many may be open, those that nothing moves in included. */
  maxLanes: number
  limits: LaneLimits
  /** Base units per 1,000 vbytes. */
  feeRate: bigint
  /** Of items that pay more than that. */
  rates: ReadonlyMap<string, bigint>
  dust: bigint
  /** Script of change in lanes that are opened now, hex. */
  changeScript: string
  nextLaneId: number
}

/** One transaction to be signed: what it spends, carries, and pays to whom. */
export interface PlannedTransaction {
  lane: number
  seq: number
  /** Empty: the change of the transaction before it in the lane, planned here too. */
  spends: readonly Coin[]
  /** What of an item it carries; nothing when it only pays for its lane. */
  payload: Payload | undefined
  /** Whom it pays for a withdrawal, script in hex. */
  pays?: { withdrawalId: string; script: string; value: bigint }
  /** The coins that new lanes start from. */
  splits: readonly { lane: number; value: bigint }[]
  /** Of its change, in hex. */
  script: string
  change: bigint
  fee: bigint
  vsize: number
}

export interface Plan {
  transactions: PlannedTransaction[]
  /** Lanes that begin with a coin of the wallet. */
  opened: { id: number; coin: Coin; script: string }[]
  /** Lanes without enough money for another transaction. */
  closed: number[]
  /** Transactions of ours in whose place others of the plan come. */
  replaced?: readonly { txid: string }[]
}

/** A plan with the items that have no lane, and what they wait for: a free coin, or that one of the lanes ends. */
export interface LanePlan extends Plan {
  waiting: Map<string, 'coins' | 'lanes'>
}

/** Lanes that may be open for each that is filled at a time. */
const OPEN_PER_LANE = 4

/** Most inputs that are gathered for a new lane when no coin is large enough. */
const MAX_GATHERED = 100

/** A lane while transactions are added to it. */
interface Building extends LaneCeiling {
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

/** How many lanes are worth having for so many transactions, where so many fit into one. */
export function lanesWorth(transactions: number, maxLanes: number, length = LANE_LENGTH): number {
  return Math.max(1, Math.min(maxLanes, Math.ceil(transactions / length)))
}

/** Lanes that may be open at a time, where so many are filled. */
function mostLanes(maxLanes: number): number {
  return OPEN_PER_LANE * maxLanes
}

/**
 * Which lane carries what next. Lanes are opened with coins of the wallet; where there are too few, a transaction of
 * the richest lane splits coins off, and the lanes that start from those wait for a block. A lane in which nothing moves
 * takes nothing and counts for nothing. The lanes' money and limits and the order of each item's payloads are respected;
 * what has no room now stays for the next plan. Pure.
 */
export function planLanes(input: PlanInput): LanePlan {
  const { queue, remaining, feeRate, dust } = input
  const plan: LanePlan = { transactions: [], opened: [], closed: [], waiting: new Map() }
  if (queue.length === 0) return plan
  const largest = Math.max(...queue.map(({ length }) => length))
  const usual = sizeAndFee([input.changeScript], largest, 0, input.changeScript, feeRate).fee
  const ids = { next: input.nextLaneId }

  const lanes: Building[] = []
  for (const { tip, ...lane } of input.lanes) {
    const poor = tip.value < usual + dust
    if (lane.ready && lane.unconfirmed === 0 && poor) plan.closed.push(lane.id)
    else lanes.push({ ...lane, moves: lane.moves && !poor, spends: [tip], value: tip.value })
  }
  const moving = lanes.filter((lane) => lane.moves)
  const wanted = lanesWorth(remaining.transactions, input.maxLanes, input.limits.count)
  const room = () => mostLanes(input.maxLanes) - lanes.length
  // A lane is worth opening when it has money for a run of transactions; better, for its share of all.
  const run = BigInt(Math.min(LANE_LENGTH, remaining.transactions)) * usual + dust
  const share = usual * BigInt(Math.ceil((remaining.transactions * 11) / (wanted * 10)) + LANE_LENGTH) + dust
  const purse = chooseCoins(input.coins, run, moving.length === 0, feeRate)
  const usable = moving.filter((lane) => lane.ready && lane.unconfirmed < input.limits.count)
  const openNext = () => {
    const coins = room() > 0 ? purse.shift() : undefined
    const lane = coins && openLane(plan, ids.next++, coins, input.changeScript)
    if (lane) for (const list of [lanes, moving, usable]) list.push(lane)
    return lane
  }
  while (moving.length < wanted && openNext());
  let missing = Math.min(wanted - moving.length, room())
  let turn = 0
  const left = new Set<string>()
  for (const payload of queue) {
    if (left.has(payload.itemId)) continue
    // One that every lane would keep behind what pays less has a lane of its own.
    const alone = !moving.some((lane) => suits(lane, payload, input))
    const lane = nextLane(usable, turn, payload, input) ?? (alone ? openNext() : undefined)
    if (!lane) {
      left.add(payload.itemId)
      if (alone) plan.waiting.set(payload.itemId, room() > 0 ? 'coins' : 'lanes')
      continue
    }
    turn = usable.indexOf(lane) + 1
    const splits =
      missing > 0 && lane === richest(usable) ? planSplits(lane, payload, missing, { run, share }, input) : []
    missing = splits.length > 0 ? 0 : missing
    addTransaction(
      plan,
      lane,
      payload,
      splits.map((value) => ({ lane: ids.next++, value })),
      input,
    )
  }
  return plan
}

/**
 * Whether a payload may stand behind what waits in a lane: all of it together may pay nine tenths of what the dearest of it
 * may, the payload included, so that none waits for fees to fall that its own price covers.
 */
function suits(
  { unconfirmed, vbytes, most, dearest, script }: Omit<Building, 'spends' | 'value'>,
  { itemId, length }: Payload,
  { ceilings }: Pick<PlanInput, 'ceilings'>,
): boolean {
  const ceiling = ceilings.get(itemId)
  if (unconfirmed === 0 || most === undefined || ceiling === undefined) return true
  const { vsize } = sizeAndFee([script], length, 0, script, 0n)
  const highest = ceiling > dearest ? ceiling : dearest
  return most + feeFor(vsize, ceiling) >= feeFor(vbytes + vsize, nineTenths(highest))
}

/** Whether a lane has to be opened for what is in the queue, if there are coins for that. Pure. */
export function lacksLanes(input: Pick<PlanInput, 'lanes' | 'queue' | 'ceilings'>, wanted: number): boolean {
  const moving = input.lanes.filter((lane) => lane.moves)
  return moving.length < wanted || input.queue.some((payload) => !moving.some((lane) => suits(lane, payload, input)))
}

function openLane(plan: Plan, id: number, coins: readonly Coin[], script: string): Building {
  const [coin] = coins
  if (coin) plan.opened.push({ id, coin, script })
  const nothing = { seq: 0, unconfirmed: 0, vbytes: 0, most: 0n, dearest: 0n }
  return { id, script, ...nothing, ready: true, moves: true, spends: coins, value: sumCoins(coins) }
}

/** Appends a transaction to a lane's end, whatever is left for `change`. */
function addTransaction(
  plan: Pick<Plan, 'transactions'>,
  lane: Building,
  payload: Payload | undefined,
  splits: PlannedTransaction['splits'],
  { feeRate, ceilings, rates }: Pick<PlanInput, 'feeRate' | 'ceilings' | 'rates'>,
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

function spentScripts({ spends, script }: Building): string[] {
  return spends.length > 0 ? spends.map((coin) => coin.script) : [script]
}

function sizeAndFee(
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

/**
 * Coins for new lanes, the largest first, one each; where nothing moves in any lane and no coin has money for a run, all of the
 * largest together.
 */
function chooseCoins(coins: readonly Coin[], run: bigint, urgent: boolean, feeRate: bigint): (readonly Coin[])[] {
  const sorted = sortCoins(coins).reverse()
  const large = sorted.filter(({ value }) => value >= run)
  if (large.length > 0 || !urgent) return large.map((coin) => [coin])
  // A coin that costs more to spend than it is worth does not help.
  const useful = sorted.filter(({ value, script }) => value > feeFor(transactionVsize([script], []), feeRate))
  return useful.length > 0 ? [useful.slice(0, MAX_GATHERED)] : []
}

/** The next lane in turn that suits the payload and has room and money for it. */
function nextLane(lanes: readonly Building[], turn: number, payload: Payload, input: PlanInput): Building | undefined {
  const { feeRate, rates, dust, limits } = input
  const rate = rates.get(payload.itemId) ?? feeRate
  for (let tried = 0; tried < lanes.length; tried++) {
    const lane = lanes[(turn + tried) % lanes.length]
    if (!lane || lane.unconfirmed >= limits.count || !suits(lane, payload, input)) continue
    const { fee, vsize } = sizeAndFee(spentScripts(lane), payload.length, 0, lane.script, rate)
    if (lane.unconfirmed > 0 && lane.vbytes + vsize > limits.vbytes) continue
    if (lane.value - fee >= dust) return lane
  }
  return undefined
}

function richest(lanes: readonly Building[]): Building | undefined {
  return lanes.reduce<Building | undefined>((best, lane) => (best && best.value >= lane.value ? best : lane), undefined)
}

/** Values of the coins to split off a lane, as many and as much as it can spare; none when that is less than a run. */
function planSplits(
  lane: Building,
  payload: Payload,
  count: number,
  { run, share }: { run: bigint; share: bigint },
  { feeRate, rates, dust }: PlanInput,
): bigint[] {
  const rate = rates.get(payload.itemId) ?? feeRate
  const { fee } = sizeAndFee(spentScripts(lane), payload.length, count, lane.script, rate)
  const spare = lane.value - fee - dust
  const part = spare / BigInt(count + 1)
  const value = part < share ? part : share
  return value < run ? [] : new Array<bigint>(count).fill(value)
}
