import { counted } from '../../client/counted.ts'
import { itemState } from '../../client/item-state.ts'
import type { PutResult } from '../../client/store/put.ts'
import type { FailedFile } from '../../client/store/put-order.ts'
import type { Estimate, Item, PaymentRequest } from '../../client/types.ts'
import { formatAmount } from '../../protocol/amount.ts'
import { paymentJson, paymentLines } from '../pay/show-payment.ts'
import { describeFailure } from '../run/describe-failure.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { Json, Outcome } from '../run/outcome.ts'
import type { ChangedFile } from './compare-stored.ts'
import { itemJson } from './item-json.ts'

/** The state of an order at the end of a command. */
export interface OrderReport {
  target: string
  coin: string
  /** Whether its files become one item. */
  website: boolean
  dryRun: boolean
  files: number
  bytes: number
  skipped: readonly { path: string; why: string }[]
  linked: readonly string[]
  /** Paths that the account had stored before. */
  known: readonly string[]
  /** What was sent, by path. */
  hashes: PutResult['hashes']
  /** Files that changed on this machine after they were sent. */
  changed: readonly ChangedFile[]
  estimate: Estimate | undefined
  balance: bigint | undefined
  items: readonly Item[]
  failed: readonly FailedFile[]
  payments: readonly PaymentRequest[]
  /** Set for a dry run: what an earlier run of the same command has done. */
  begun?: BegunOrder | undefined
}

const UNPAID = {
  code: 'unpaid',
  message: 'It waits for its payment.',
  hint: 'The same command with --wait follows the payment and stays until everything is stored.',
}

/** Progress of an earlier run: files that have an item, that were sent, that were merged, and items that are paid. */
interface BegunOrder {
  created: number
  sent: number
  merged: number
  paid: number
}

/** Most items that are listed in text. */
const MAX_LINES = 20

/** The result of put, pay and site deploy. It has the same fields in every case, in a dry run too. */
export function orderOutcome(report: OrderReport, env: Readonly<Record<string, string | undefined>>): Outcome {
  const { items, failed, payments, estimate, coin } = report
  const state = stateOfOrder(report)
  const result: Json = {
    target: report.target,
    dryRun: report.dryRun,
    website: report.website,
    state,
    files: report.files,
    bytes: report.bytes,
    skipped: report.skipped.map(({ path, why }) => ({ path, why })),
    linked: report.linked,
    known: report.known,
    changed: report.changed.map(({ path, how }) => ({ path, how })),
    estimate: estimate ? { ...estimate, dustFee: estimate.dustFee ?? null, paidIn: estimate.paidIn ?? null } : null,
    balance: report.balance === undefined ? null : formatAmount(report.balance),
    items: items.map(itemJson),
    failed: failed.map(({ path, error }) => ({ path, ...reasonOf(error, env) })),
    payments: payments.map(paymentJson),
    begun: report.begun ? { ...report.begun } : null,
  }
  const text = report.dryRun
    ? dryRunLines(report)
    : [...items.slice(0, MAX_LINES).flatMap(itemLines), ...moreLine(items.length)]
  if (payments.length > 0) text.push(...payments.flatMap((request) => paymentLines(request, coin)))
  const failure = failureOf(report, env)
  if (failure.error || state !== 'unpaid' || report.dryRun) return { result, text, ...failure }
  return { result, text, exitCode: EXIT.pending, error: UNPAID }
}

function stateOfOrder({ dryRun, items, failed }: OrderReport): string {
  if (dryRun) return 'none'
  const states = new Set<string>(items.map(itemState))
  const order = ['stopped', 'uploading', 'unpaid', 'unknown', 'writing', 'stored']
  return order.find((state) => states.has(state)) ?? (failed.length > 0 ? 'uploading' : 'none')
}

function failureOf(
  { failed, items, files }: OrderReport,
  env: Readonly<Record<string, string | undefined>>,
): Pick<Outcome, 'exitCode' | 'error'> {
  const stopped = items.filter((item) => itemState(item) === 'stopped')
  const problems = [
    ...failed.map(({ path, error }) => `${path}: ${reasonOf(error, env).message}`),
    ...stopped.map(({ name, message }) => `${name}: ${message ?? 'it has stopped.'}`),
  ]
  if (problems.length === 0) return {}
  const all = problems.length >= files || (failed.length > 0 && items.length === 0)
  const [only] = failed
  if (files === 1 && only) {
    const { exitCode, error } = describeFailure(only.error, env, '')
    return { ...(exitCode !== undefined && { exitCode }), ...(error && { error }) }
  }
  const message = `${problems.length} of ${files} files ${all ? 'failed' : 'failed; the others went on'}.`
  const hint =
    failed.length > 0
      ? 'The same command sends only those that are missing.'
      : 'An operator of the service has to look at it.'
  const exitCode = failed.length > 0 ? EXIT.partly : EXIT.refused
  return { exitCode, error: { code: failed.length > 0 ? 'partly' : 'item_stopped', message, hint, problems } }
}

function reasonOf(error: Error, env: Readonly<Record<string, string | undefined>>): { code: string; message: string } {
  const { error: described } = describeFailure(error, env, '')
  return { code: described?.code ?? 'unexpected', message: described?.message ?? error.message }
}

function itemLines(item: Item): string[] {
  const { txids, index, cid } = item
  const lines = [`${itemState(item).padEnd(8)} ${item.name}`, `id       ${item.id}`]
  if (txids !== undefined) lines.push(`txids    ${txids.join()}`)
  if (index !== undefined) lines.push(`index    ${index}`)
  if (cid !== undefined) lines.push(`cid      ${cid}`)
  if (itemState(item) === 'stored') lines.push(`content  ${item.links.content}`)
  return lines
}

function moreLine(count: number): string[] {
  return count > MAX_LINES ? [`and ${count - MAX_LINES} more; --json lists all of them.`] : []
}

function dryRunLines({ website, files, bytes, target, estimate, coin, balance, items, begun }: OrderReport): string[] {
  const lines = [
    `would store ${counted(files, 'file')}, ${counted(bytes, 'byte')}, on ${target}${website ? ', as one website' : ''}`,
  ]
  lines.push(
    estimate
      ? `at most  ${estimate.amount} ${coin} in ${counted(estimate.transactions, 'transaction')}`
      : 'price    known after the upload',
  )
  if (balance !== undefined) lines.push(`balance  ${formatAmount(balance)} ${coin}`)
  if (begun) {
    lines.push(
      `begun    ${begun.created} created, ${begun.sent} sent, ${begun.merged} merged, ${begun.paid} paid before`,
    )
  }
  return [...lines, ...items.slice(0, MAX_LINES).flatMap(itemLines), ...moreLine(items.length)]
}
