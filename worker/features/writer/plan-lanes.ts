import { feeFor, transactionVsize } from '../../../protocol/transaction-size.ts'
import type { Coin } from '../wallet/sql/lanes.ts'
import { addTransaction, type BuildingLane, openLane, sizeAndFee, spentScripts } from './building-lane.ts'
import { nineTenths } from './lane-fees.ts'
import { LANE_LENGTH, type LaneLimits, lanesWorth, mostLanes } from './lane-limits.ts'
import type { LanePlan, LaneState, Payload } from './lane-plan.ts'
import { sortCoins } from './sort-coins.ts'

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

  const lanes: BuildingLane[] = []
  for (const { tip, ...lane } of input.lanes) {
    const poor = isPoor(tip, lane.script, input)
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
  { unconfirmed, vbytes, most, dearest, script }: Omit<BuildingLane, 'spends' | 'value'>,
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
export function lacksLanes(
  input: Pick<PlanInput, 'lanes' | 'queue' | 'ceilings' | 'rates' | 'feeRate' | 'dust'>,
  wanted: number,
): boolean {
  const moving = input.lanes.filter(({ moves, tip, script }) => moves && !isPoor(tip, script, input))
  return moving.length < wanted || input.queue.some((payload) => !moving.some((lane) => suits(lane, payload, input)))
}

/** Whether a lane that ends with `tip` lacks the money for any of what is in the queue: it counts as none. */
function isPoor(
  tip: Coin,
  script: string,
  { queue, rates, feeRate, dust }: Pick<PlanInput, 'queue' | 'rates' | 'feeRate' | 'dust'>,
): boolean {
  return queue.some(({ itemId, length }) => {
    const { fee } = sizeAndFee([tip.script], length, 0, script, rates.get(itemId) ?? feeRate)
    return tip.value < fee + dust
  })
}

/** Most inputs that are gathered for a new lane when no coin is large enough. */
const MAX_GATHERED = 100

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
function nextLane(
  lanes: readonly BuildingLane[],
  turn: number,
  payload: Payload,
  input: PlanInput,
): BuildingLane | undefined {
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

function richest(lanes: readonly BuildingLane[]): BuildingLane | undefined {
  return lanes.reduce<BuildingLane | undefined>(
    (best, lane) => (best && best.value >= lane.value ? best : lane),
    undefined,
  )
}

/** Values of the coins to split off a lane, as many and as much as it can spare; none when that is less than a run. */
function planSplits(
  lane: BuildingLane,
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
