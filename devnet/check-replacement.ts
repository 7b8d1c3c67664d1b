import { type Chunk, type ClusterNode, chunksOf, clusterOf, clustersOf, isBetter, toNodes } from './cluster.ts'
import { feeFor, formatMoney } from './fee-rate.ts'
import type { LedgerTransaction } from './ledger-transaction.ts'
import type { MempoolEntry } from './mempool-entry.ts'
import { type AcceptanceContext, REJECT, type Rejection } from './rejection.ts'

/** Most transactions that one may replace; from Core 31 on, most clusters that it may touch. */
const MAX_REPLACED = 100

/**
 * The reason why a transaction may not replace those it conflicts with, if any: rules 2 to 5 of BIP 125 before Core 31;
 * from then on it must pay for all that it replaces, and improve the mempool's fee-rate diagram.
 */
export function checkReplacement(
  transaction: LedgerTransaction,
  fee: bigint,
  conflicts: ReadonlySet<MempoolEntry>,
  replaces: readonly MempoolEntry[],
  context: AcceptanceContext,
): Rejection | undefined {
  const { mempool, settings } = context
  const spendsConflict = checkDisjoint(transaction, replaces, context)
  if (settings.cluster) {
    const touched = clustersOf(conflicts).length
    if (touched > MAX_REPLACED) {
      const details = `rejecting replacement ${transaction.txid}; too many conflicting clusters (${touched} > ${MAX_REPLACED})`
      return { reason: 'too many potential replacements', details, code: REJECT.nonstandard }
    }
    return (
      checkPayment(transaction, fee, replaces, context) ??
      checkDiagram(transaction, fee, replaces, context) ??
      spendsConflict
    )
  }
  if (spendsConflict) return spendsConflict
  for (const { fee: oldFee, transaction: old } of conflicts) {
    if (fee * BigInt(old.vsize) <= oldFee * BigInt(transaction.vsize)) {
      const rate = (units: bigint, vsize: number) => `${formatMoney((units * 1000n) / BigInt(vsize), settings)} BTC/kvB`
      const rates = `new feerate ${rate(fee, transaction.vsize)} <= old feerate ${rate(oldFee, old.vsize)}`
      return insufficient(`rejecting replacement ${transaction.txid}; ${rates}`)
    }
  }
  if (replaces.length > MAX_REPLACED) {
    const details = `rejecting replacement ${transaction.txid}; too many potential replacements (${replaces.length} > ${MAX_REPLACED})`
    return { reason: 'too many potential replacements', details, code: REJECT.nonstandard }
  }
  const known = new Set([...conflicts].flatMap(({ transaction: old }) => old.inputs.map((input) => input.txid)))
  for (const [index, { txid: parent }] of transaction.inputs.entries()) {
    if (mempool.entries.has(parent) && !known.has(parent)) {
      return {
        reason: 'replacement-adds-unconfirmed',
        details: `replacement ${transaction.txid} adds unconfirmed input, idx ${index}`,
        code: REJECT.nonstandard,
      }
    }
  }
  return checkPayment(transaction, fee, replaces, context)
}

function insufficient(details: string): Rejection {
  return { reason: 'insufficient fee', details, code: REJECT.fee, reconsiderable: true }
}

/** It may not depend on a transaction that it replaces (EntriesAndTxidsDisjoint). */
function checkDisjoint(
  transaction: LedgerTransaction,
  replaces: readonly MempoolEntry[],
  { mempool }: AcceptanceContext,
): Rejection | undefined {
  const gone = new Set(replaces)
  const ancestors = mempool.ancestorsOf(mempool.parentsOf(transaction))
  const ancestor = [...ancestors].find((one) => gone.has(one))
  if (!ancestor) return undefined
  const details = `${transaction.txid} spends conflicting transaction ${ancestor.transaction.txid}`
  return { reason: 'bad-txns-spends-conflicting-tx', details, code: REJECT.invalid }
}

/** Rules 3 and 4 (PaysForRBF): the fees of all that it replaces, and its own relay fee. */
function checkPayment(
  { txid, vsize }: LedgerTransaction,
  fee: bigint,
  replaces: readonly MempoolEntry[],
  { settings }: AcceptanceContext,
): Rejection | undefined {
  const oldFees = replaces.reduce((sum, entry) => sum + entry.fee, 0n)
  if (fee < oldFees) {
    const sums = `${formatMoney(fee, settings)} < ${formatMoney(oldFees, settings)}`
    return insufficient(`rejecting replacement ${txid}, less fees than conflicting txs; ${sums}`)
  }
  const relay = feeFor(settings.incrementalFeeRate, vsize, settings)
  if (fee - oldFees < relay) {
    const sums = `${formatMoney(fee - oldFees, settings)} < ${formatMoney(relay, settings)}`
    return insufficient(`rejecting replacement ${txid}, not enough additional fees to relay; ${sums}`)
  }
  return undefined
}

/** The limits of the resulting cluster, and ImprovesFeerateDiagram. */
function checkDiagram(
  transaction: LedgerTransaction,
  fee: bigint,
  replaces: readonly MempoolEntry[],
  { mempool, settings }: AcceptanceContext,
): Rejection | undefined {
  const gone = new Set(replaces)
  const parents = [...mempool.parentsOf(transaction)].filter((parent) => !gone.has(parent))
  const before = clusterOf([...replaces, ...parents])
  const after = toNodes([...before].filter((entry) => !gone.has(entry)))
  const own = new Set(parents)
  const added: ClusterNode = {
    entry: newEntry(transaction, fee, own),
    fee,
    vsize: transaction.vsize,
    weight: transaction.weight,
    parents: new Set(after.filter(({ entry }) => own.has(entry))),
  }
  const joined = componentOf(added, after)
  const bytes = joined.reduce((sum, { vsize }) => sum + vsize, 0)
  if (settings.cluster && (joined.length > settings.cluster.count || bytes > settings.cluster.bytes)) {
    return { reason: 'too-large-cluster', code: REJECT.nonstandard }
  }
  const old = clustersOf(before).flatMap((cluster) => chunksOf(toNodes(cluster)))
  if (isImproved(old, chunksOf([...after, added]))) return undefined
  const details = 'insufficient feerate: does not improve feerate diagram'
  return { reason: 'replacement-failed', details, code: REJECT.fee, reconsiderable: true }
}

function newEntry(transaction: LedgerTransaction, fee: bigint, parents: Set<MempoolEntry>): MempoolEntry {
  const { vsize } = transaction
  const counts = { ancestorCount: 1, ancestorBytes: vsize, ancestorFees: fee }
  const below = { descendantCount: 1, descendantBytes: vsize, descendantFees: fee }
  return { transaction, fee, time: 0, height: 0, parents, children: new Set(), ...counts, ...below }
}

/** The new node and all of `nodes` that are connected with it. */
function componentOf(added: ClusterNode, nodes: readonly ClusterNode[]): ClusterNode[] {
  const found = new Set([added])
  for (const one of found) {
    for (const parent of one.parents) found.add(parent)
    for (const node of nodes) if (node.parents.has(one)) found.add(node)
  }
  return [...found]
}

/** Whether the fees of the best chunks, summed up by weight, are nowhere less than before and somewhere more. */
function isImproved(before: readonly Chunk[], after: readonly Chunk[]): boolean {
  const [old, fresh] = [diagramOf(before), diagramOf(after)]
  const weights = [...old, ...fresh].map(({ weight }) => weight)
  let better = false
  for (const weight of weights) {
    const difference = feesAt(fresh, weight) - feesAt(old, weight)
    // Below any fee there is: what interpolation rounds.
    if (difference < -1e-3) return false
    if (difference > 1e-3) better = true
  }
  return better
}

interface Point {
  weight: number
  fee: number
}

function diagramOf(chunks: readonly Chunk[]): Point[] {
  const points: Point[] = [{ weight: 0, fee: 0 }]
  let [weight, fee] = [0, 0]
  for (const chunk of [...chunks].sort((a, b) => (isBetter(a, b) ? -1 : isBetter(b, a) ? 1 : 0))) {
    weight += chunk.weight
    fee += Number(chunk.fee)
    points.push({ weight, fee })
  }
  return points
}

function feesAt(points: readonly Point[], weight: number): number {
  let before: Point = { weight: 0, fee: 0 }
  for (const point of points) {
    if (point.weight >= weight) {
      const share = point.weight === before.weight ? 1 : (weight - before.weight) / (point.weight - before.weight)
      return before.fee + share * (point.fee - before.fee)
    }
    before = point
  }
  return before.fee
}
