import { acceptTransaction } from './accept-transaction.ts'
import { feeFor } from './fee-rate.ts'
import type { LedgerTransaction } from './ledger-transaction.ts'
import type { Node } from './node.ts'
import { REJECT, type Rejection } from './rejection.ts'

/** The result for one transaction of a package. */
export type PackageResult =
  | { state: 'refused'; rejection: Rejection }
  | { state: 'waiting'; fee: bigint }
  | { state: 'taken'; fee: bigint; rate: bigint; includes: string[] }

/** `message` is `success` if all are accepted; `results` by wtxid, `replaced` the txids that were evicted. */
export interface PackageOutcome {
  message: string
  results: Map<string, PackageResult>
  replaced: string[]
}

const MAX_PACKAGE_WEIGHT = 404_000

/**
 * Bitcoin Core's AcceptPackage: first each transaction alone, then together those that fail only because of the
 * mempool's minimum fee or a missing parent. This node has no replacement by a whole package.
 */
export function acceptPackage(node: Node, transactions: readonly LedgerTransaction[], maxRate: bigint): PackageOutcome {
  const malformed = checkPackage(transactions)
  if (malformed) return { message: malformed, results: new Map(), replaced: [] }
  const replaced: string[] = []
  const results = new Map<string, PackageResult>()
  const together: LedgerTransaction[] = []
  let failed = false
  for (const transaction of transactions) {
    const known = node.mempool.entries.get(transaction.txid)
    if (known) {
      results.set(transaction.wtxid, { state: 'waiting', fee: known.fee })
      continue
    }
    const outcome = submitAlone(node, transaction, maxRate, replaced)
    results.set(transaction.wtxid, outcome)
    if (outcome.state !== 'refused') continue
    if (outcome.rejection.reconsiderable || outcome.rejection.missingInputs) together.push(transaction)
    else failed = true
  }
  let message = failed ? 'transaction failed' : 'success'
  if (!failed && together.length > 0) message = submitTogether(node, together, maxRate, results)
  return { message, results, replaced }
}

/** Rules that need only the package itself (IsWellFormedPackage). */
function checkPackage(transactions: readonly LedgerTransaction[]): string | undefined {
  const txids = transactions.map(({ txid }) => txid)
  const weight = transactions.reduce((sum, one) => sum + one.weight, 0)
  if (transactions.length > 1 && weight > MAX_PACKAGE_WEIGHT) return 'package-too-large'
  if (new Set(txids).size !== txids.length) return 'package-contains-duplicates'
  const unsorted = transactions.some(({ inputs }, index) => {
    const later = txids.slice(index)
    return inputs.some(({ txid }) => later.includes(txid))
  })
  if (unsorted) return 'package-not-sorted'
  const spent = transactions.flatMap(({ outpoints }) => outpoints)
  return new Set(spent).size === spent.length ? undefined : 'conflict-in-package'
}

/** Whether all but the last are parents of the last, and none is a parent of another (IsChildWithParentsTree). */
export function isChildWithParents(transactions: readonly LedgerTransaction[]): boolean {
  const parents = transactions.slice(0, -1)
  const child = transactions.at(-1)
  const txids = new Set(parents.map(({ txid }) => txid))
  const spent = new Set(child?.inputs.map(({ txid }) => txid))
  return parents.every(({ txid, inputs }) => spent.has(txid) && inputs.every((input) => !txids.has(input.txid)))
}

function refused(rejection: Rejection): PackageResult {
  return { state: 'refused', rejection }
}

function submitAlone(node: Node, transaction: LedgerTransaction, maxRate: bigint, replaced: string[]): PackageResult {
  const outcome = node.test(transaction)
  if ('reason' in outcome) return refused(outcome)
  if (isOverMaximum(node, outcome.fee, transaction.vsize, maxRate)) return refused(TOO_DEAR)
  const rejection = node.submit(transaction)
  if (rejection) return refused(rejection)
  replaced.push(...outcome.replaces.map((entry) => entry.transaction.txid))
  const rate = (outcome.fee * 1000n) / BigInt(transaction.vsize)
  return { state: 'taken', fee: outcome.fee, rate, includes: [transaction.wtxid] }
}

const TOO_DEAR: Rejection = { reason: 'max feerate exceeded', code: REJECT.fee }

function isOverMaximum({ settings }: Node, fee: bigint, vsize: number, maxRate: bigint): boolean {
  return maxRate > 0n && fee > feeFor(maxRate, vsize, settings)
}

/** Accepts all or none; returns the package's message and writes each result. */
function submitTogether(
  node: Node,
  transactions: readonly LedgerTransaction[],
  maxRate: bigint,
  results: Map<string, PackageResult>,
): string {
  const added: { transaction: LedgerTransaction; fee: bigint }[] = []
  const undo = (message: string): string => {
    const entries = added.flatMap(({ transaction }) => node.mempool.entries.get(transaction.txid) ?? [])
    node.mempool.removeWithDescendants(entries)
    return message
  }
  for (const transaction of transactions) {
    const outcome = acceptTransaction(transaction, node, { inPackage: true })
    if ('reason' in outcome) {
      results.set(transaction.wtxid, refused(outcome))
      return undo('transaction failed')
    }
    if (outcome.replaces.length > 0)
      return undo('package RBF failed: this embedded node replaces nothing for a package')
    node.mempool.add(transaction, outcome.fee, node.time, node.chain.height)
    added.push({ transaction, fee: outcome.fee })
  }
  const fees = added.reduce((sum, { fee }) => sum + fee, 0n)
  const vsize = added.reduce((sum, { transaction }) => sum + transaction.vsize, 0)
  const room = feeFor(node.mempool.minFeeRate, vsize, node.settings)
  const refusal = isOverMaximum(node, fees, vsize, maxRate)
    ? TOO_DEAR.reason
    : fees < room
      ? 'mempool min fee not met'
      : ''
  if (refusal !== '') {
    const details = refusal === TOO_DEAR.reason ? {} : { details: `${fees} < ${room}` }
    for (const { wtxid } of transactions) results.set(wtxid, refused({ reason: refusal, ...details, code: REJECT.fee }))
    return undo('transaction failed')
  }
  undo('')
  const includes = transactions.map(({ wtxid }) => wtxid)
  const rate = (fees * 1000n) / BigInt(vsize)
  node.admitPackage(added)
  for (const { transaction, fee } of added) {
    results.set(transaction.wtxid, { state: 'taken', fee, rate, includes })
  }
  const left = added.filter(({ transaction }) => !node.mempool.entries.has(transaction.txid))
  for (const { transaction } of left) {
    results.set(transaction.wtxid, refused({ reason: 'mempool full', code: REJECT.fee }))
  }
  return left.length > 0 ? 'transaction failed' : 'success'
}
