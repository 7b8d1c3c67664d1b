import { CHAINS } from '../../../../protocol/chains.ts'
import { feeFor, transactionVsize } from '../../../../protocol/transaction-size.ts'
import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../chain/follower/blocks.ts'
import { readMempoolTerms } from '../../../chain/rpc/fund-methods.ts'
import { readConfirmedOutputs } from '../../../chain/rpc/transaction-methods.ts'
import { noteSentStatements } from '../../payouts/sql/withdrawal-reasons.ts'
import { followersOf } from '../../transactions/sign/give-up.ts'
import { signAndStore } from '../../transactions/sign/sign-and-store.ts'
import {
  bumpVsize,
  isAboveCeiling,
  maxFeeOf,
  paysEnough,
  txChainCeiling,
} from '../../transactions/sign/tx-chain-fees.ts'
import { type TxChainLimits, txChainLimits } from '../../transactions/sign/tx-chain-limits.ts'
import type { Plan, PlannedTransaction } from '../../transactions/sign/tx-chain-plan.ts'
import { sortCoins } from '../../transactions/sort-coins.ts'
import { listFreeCoins } from '../../transactions/spendable-coins.ts'
import type { GivenUp } from '../../transactions/sql/transaction-states.ts'
import {
  isBump,
  isConsolidation,
  type OwnTransaction,
  selectInputs,
  selectSpent,
  txidsOf,
} from '../../transactions/sql/transactions.ts'
import { type Coin, selectOpenTxChains } from '../../transactions/sql/tx-chains.ts'
import { readQuotes } from '../plan/read-quotes.ts'
import { markStuck } from './mark-stuck.ts'
import { reopenTxChains } from './reopen-tx-chains.ts'

const TOO_LONG =
  'More of its transactions wait than a node accepts in one chain, as after a reorganisation: it can pay no more until some are mined.'

/** Blocks that pass a waiting transaction by before its tx chain pays more. */
const STUCK_BLOCKS = 6

/**
 * Bumps tx chains that are stuck. A transaction at the end whose fee pays for all before it (CPFP) leaves every txid as it is;
 * replacing one in the middle would not. A bump that nothing spends is replaced (BIP 125) again and again, up to the ceiling of the
 * items that are written, those included that were published and that a reorganisation removed from the chain. It also pays for
 * the unmined transactions of other tx chains that its own spends from. If its tx chain has too little money, it spends a confirmed coin of
 * the wallet as well. A consolidation that can't be raised to the present fee rate is abandoned, which frees the other coins.
 * `cheap` are transactions that a full mempool has evicted: they are stuck at once. `true` where something was signed.
 */
export async function bumpTxChains(
  context: AgentContext,
  tip: BlockPosition,
  unmined: readonly OwnTransaction[],
  cheap: readonly OwnTransaction[],
): Promise<boolean> {
  const { db, rpc, blockchain, config, now } = context
  const below = new Set(cheap.flatMap((one) => followersOf(unmined, one)).map(({ txid }) => txid))
  // A transaction whose input is gone is not helped by a higher fee.
  const isStuck = ({ txid, state, sentHeight, spentHeight }: OwnTransaction) =>
    state === 'sent' &&
    spentHeight === undefined &&
    (below.has(txid) || tip.height - (sentHeight ?? tip.height) >= STUCK_BLOCKS)
  const ids = new Set(unmined.filter(isStuck).map(({ txChain }) => txChain))
  if (ids.size === 0) return false
  const quotes = await readQuotes(db, unmined)
  const { feeRate, cluster } = await readMempoolTerms(rpc, blockchain)
  const { dust, relayFeeRate } = CHAINS[blockchain]
  const limits = txChainLimits(cluster)
  const spent = await selectSpent(db, blockchain, txidsOf(unmined))
  await reopenTxChains(context, ids, unmined, spent)
  const plan: Plan & { replaced: GivenUp[] } = { transactions: [], opened: [], closed: [], replaced: [] }
  let free: readonly Coin[] | undefined
  const open = await selectOpenTxChains(db, blockchain)
  const parents = await selectUnminedParents(context, unmined)
  const sent: Record<'dear' | 'others', string[]> = { dear: [], others: [] }
  for (const { id, script, coin } of open) {
    const own = unmined.filter(({ txChain }) => txChain === id)
    const end = own.at(-1)
    // A withdrawal spends it, as after a reorganisation of mined transactions: its tx chain pays for both.
    if (!end || spent.has(`${end.txid}:${end.changeVout}`)) continue
    const below = ancestorsOf(own, unmined, parents)
    // A bump waits for as many blocks as the transactions that it is for.
    if (!(ids.has(id) || below.some(isStuck)) || !own.filter(isBump).every(isStuck)) continue
    const carried = [...below, ...own]
    if (carried.filter((one) => one !== end || !isBump(one)).length > limits.count) {
      await markStuck(context, id, own, TOO_LONG)
      continue
    }
    const most = maxFeeOf(carried, quotes, config.feeCeilingPercent, script)
    const { dearest } = txChainCeiling(carried, quotes, config.feeCeilingPercent)
    const terms = { feeRate, most, dearest, dust, relayFeeRate, limits, below }
    const withdrawalIds = carried.flatMap(({ withdrawalId }) => withdrawalId ?? [])
    sent[isAboveCeiling(carried, script, terms) ? 'dear' : 'others'].push(...withdrawalIds)
    const freed = paysEnough(own, script, terms) ? undefined : planRelease(own, coin, script, terms)
    const poor = !freed && cannotAffordBump(own, script, terms)
    if (poor) free ??= sortCoins(await listFreeCoins(context))
    const coins = poor ? [...(await readAdded(context, own)), ...(free ?? [])] : []
    const bump = freed ? { transaction: freed, replaces: own } : planBump(own, script, terms, coins)
    if (poor && !bump)
      console.warn('coins_missing', blockchain, `tx chain ${id} waits: no coin is free that it could pay more with`)
    if (!bump) continue
    const { spends } = bump.transaction
    free = free?.filter(({ txid, vout }) => !spends.some((spent) => spent.txid === txid && spent.vout === vout))
    plan.transactions.push(bump.transaction)
    plan.replaced.push(...bump.replaces)
  }
  if (Object.values(sent).some(({ length }) => length > 0)) await db.batch(noteSentStatements(db, sent, now))
  if (plan.transactions.length === 0) return false
  console.warn('tx_chains_stuck', blockchain, `${plan.transactions.length} tx chains pay more`)
  return await signAndStore(context, plan)
}

/** The unmined ends of tx chains that the first transaction of another tx chain spends, by the txid of that transaction. */
async function selectUnminedParents(
  { db, blockchain }: AgentContext,
  unmined: readonly OwnTransaction[],
): Promise<ReadonlyMap<string, readonly OwnTransaction[]>> {
  const ends = new Map([...new Map(unmined.map((one) => [one.txChain, one])).values()].map((one) => [one.txid, one]))
  const inputs = await selectInputs(db, blockchain, txidsOf(unmined.filter(({ seq }) => seq === 0)))
  const spending = inputs.filter(({ txid, vout }) => ends.get(txid)?.changeVout === vout)
  const parents = Map.groupBy(spending, ({ spender }) => spender)
  return new Map([...parents].map(([spender, spent]) => [spender, spent.flatMap(({ txid }) => ends.get(txid) ?? [])]))
}

/**
 * The unmined transactions of other tx chains that a tx chain spends from, as after a reorganisation. They are mined before it, and
 * can't have a bump of their own, since it spends their end. Pure.
 */
function ancestorsOf(
  own: readonly OwnTransaction[],
  unmined: readonly OwnTransaction[],
  parents: ReadonlyMap<string, readonly OwnTransaction[]>,
): OwnTransaction[] {
  const found = new Map<number, readonly OwnTransaction[]>()
  const add = (from: readonly OwnTransaction[]) => {
    for (const { txChain } of from.flatMap(({ txid }) => parents.get(txid) ?? [])) {
      if (found.has(txChain)) continue
      const whole = unmined.filter((one) => one.txChain === txChain)
      found.set(txChain, whole)
      add(whole)
    }
  }
  add(own)
  return [...found.values()].flat()
}

/** The coin of the wallet that the bump of a tx chain spends beside the change: a replacement of the bump may spend it too. */
async function readAdded({ db, rpc, blockchain }: AgentContext, own: readonly OwnTransaction[]): Promise<Coin[]> {
  const bump = own.at(-1)
  if (!bump || !isBump(bump)) return []
  const txids = new Set(own.map(({ txid }) => txid))
  const inputs = await selectInputs(db, blockchain, [bump.txid])
  return await readConfirmedOutputs(
    rpc,
    inputs.filter(({ txid }) => !txids.has(txid)),
  )
}

/**
 * What a bump is computed from; rates in base units per 1,000 vbytes. `most` is for the whole tx chain, in base units, with a bump that
 * spends its change alone. Another input is paid for at `dearest`, the highest rate that one of the transactions may pay.
 */
export interface BumpTerms {
  feeRate: bigint
  most: bigint | undefined
  dearest: bigint
  relayFeeRate: bigint
  dust: bigint
  limits: TxChainLimits
  /** Unmined transactions of other tx chains that this one spends from. */
  below?: readonly OwnTransaction[]
}

interface Bump {
  transaction: PlannedTransaction
  replaces: readonly OwnTransaction[]
}

/**
 * The bump that raises the unconfirmed transactions of a tx chain to the present fee rate, or to half as much again as they pay
 * where that is higher, within the most that it may pay; and the bump that it replaces. If the tx chain has too little money, it
 * also spends the first of the confirmed `coins` that is enough. `undefined` if it would not pay more than is
 * paid already, if the tx chain has no room, or if the money does not suffice. Pure.
 */
export function planBump(
  unconfirmed: readonly OwnTransaction[],
  script: string,
  terms: BumpTerms,
  coins: readonly Coin[] = [],
): Bump | undefined {
  for (const coin of [undefined, ...coins]) {
    const bump = measureBump(unconfirmed, script, terms, coin)
    if (bump && bump.transaction.change >= terms.dust) return bump
  }
  return undefined
}

/** Whether money is all that a tx chain lacks to pay more. Pure. */
export function cannotAffordBump(unconfirmed: readonly OwnTransaction[], script: string, terms: BumpTerms): boolean {
  const bump = measureBump(unconfirmed, script, terms, undefined)
  return bump !== undefined && bump.transaction.change < terms.dust
}

/** A bump as in {@link planBump}, even if its change is too small. */
function measureBump(
  unconfirmed: readonly OwnTransaction[],
  script: string,
  { feeRate, most, dearest, relayFeeRate, limits, below = [] }: BumpTerms,
  coin: Coin | undefined,
): Bump | undefined {
  const sorted = [...unconfirmed].sort((a, b) => a.seq - b.seq)
  const end = sorted.at(-1)
  if (!end || [...below, ...sorted].some(({ state }) => state !== 'sent')) return undefined
  const replaces = isBump(end) ? end : undefined
  const own = replaces ? sorted.slice(0, -1) : sorted
  const last = own.at(-1)
  const rest = [...below, ...own]
  if (!last || rest.length > limits.count) return undefined
  const alone = bumpVsize(script)
  const vsize = coin ? transactionVsize([script, coin.script], [script.length / 2]) : alone
  const whole = rest.reduce((sum, one) => sum + one.vsize, vsize)
  const paidByRest = rest.reduce((sum, one) => sum + one.fee, 0n)
  const paid = paidByRest + (replaces?.fee ?? 0n)
  const raised = (((paid * 1000n) / BigInt(replaces ? whole : whole - vsize)) * 3n) / 2n
  const wanted = feeRate > raised ? feeRate : raised
  const all = feeFor(whole, wanted)
  const highest = most === undefined ? undefined : most + feeFor(vsize - alone, dearest)
  const fee = (highest !== undefined && all > highest ? highest : all) - paidByRest
  // It pays for its own relay; one in another's place also for that again (BIP 125, rule 4).
  const least = feeFor(vsize, relayFeeRate) + (replaces?.fee ?? 0n)
  if (fee < least) return undefined
  const tip = { txid: last.txid, vout: last.changeVout, value: last.changeValue, script }
  const { txChain, seq } = last
  const spent = { spends: coin ? [tip, coin] : [tip], payload: undefined, splits: [] }
  const change = tip.value + (coin?.value ?? 0n) - fee
  const transaction = { txChain, seq: seq + 1, ...spent, script, change, fee, vsize }
  return { transaction, replaces: replaces ? [replaces] : [] }
}

/**
 * The transaction that replaces a consolidation and its bump, and spends only one of its coins, `coin`, which frees the
 * others. It pays what they paid and its own relay (BIP 125, rules 3 and 4), and at least the present
 * fee rate. `undefined` where the tx chain has other unconfirmed transactions, or the coin is not worth the fee. Pure.
 */
export function planRelease(
  unconfirmed: readonly OwnTransaction[],
  coin: Coin,
  script: string,
  { feeRate, relayFeeRate, dust }: Pick<BumpTerms, 'feeRate' | 'relayFeeRate' | 'dust'>,
): PlannedTransaction | undefined {
  const [first, ...rest] = unconfirmed
  if (!first || !isConsolidation(first) || !rest.every(isBump)) return undefined
  const vsize = transactionVsize([coin.script], [script.length / 2])
  if (first.vsize < 2 * vsize || unconfirmed.some(({ state }) => state !== 'sent')) return undefined
  const least = unconfirmed.reduce((sum, { fee }) => sum + fee, feeFor(vsize, relayFeeRate))
  const fee = feeFor(vsize, feeRate) > least ? feeFor(vsize, feeRate) : least
  const change = coin.value - fee
  if (change < dust) return undefined
  return { txChain: first.txChain, seq: 0, spends: [coin], payload: undefined, splits: [], script, change, fee, vsize }
}
