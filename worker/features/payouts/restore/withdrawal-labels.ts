import type { Blockchain } from '../../../../protocol/chains.ts'
import { addLabel, countLabelled } from '../../../chain/rpc/address-methods.ts'
import type { WalletRpc } from '../../../chain/rpc/wallet-rpc.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { type AppError, unavailable } from '../../../platform/http/errors.ts'
import { stopPayouts } from '../../transactions/stop-payouts.ts'
import { withdrawalEventStatement } from '../end/withdrawal-event.ts'
import { hasPayoutRecord } from '../record/payout-records.ts'
import {
  claimEnd,
  explainEndStatement,
  holdUnexplainedStatements,
  notePayoutLabelStatement,
  PERHAPS_PAID,
} from '../sql/withdrawal-labels.ts'
import { selectWithdrawalsById, type Withdrawal } from '../sql/withdrawals.ts'

const REASON =
  'The wallet has labels of withdrawals that the database does not explain: it is older than what was paid or ended. Each has its reason. Look up what became of it, decide (POST /v0/operate/withdrawal/<id>), and let payouts go on then.'

/** Withdrawals that are held at once: each takes some statements. */
const MOST_HELD = 50

/** Milliseconds in which a request that has begun to end a withdrawal has ended it, or was cut off. */
export const ENDING_MS = 300_000

interface LabelContext {
  db: D1Database
  bucket: R2Bucket
  /** The node with the wallet. */
  rpc: WalletRpc
  /** Milliseconds. */
  now: number
}

const LABELS = ['payout', 'ended'] as const

/** What an address of the wallet says of a withdrawal: that something was about to be signed for it, or that it was about to end. */
function nameOf(label: (typeof LABELS)[number], id: string): string {
  return `hookline:${label}:${id}`
}

/**
 * Gives the wallet a label before a withdrawal is first signed: no backup of the database or the bucket brings the wallet back to a
 * moment before. `false` where the wallet had a label of it that the database does not explain: then it is held, and payouts stop.
 * @throws {NodeError} {@link RpcError}
 */
export async function labelPayout(
  context: LabelContext,
  { id, blockchain }: Pick<Withdrawal, 'id' | 'blockchain'>,
): Promise<boolean> {
  const { db, rpc } = context
  const labels = await readLabels(rpc, blockchain, [id])
  if ((await holdUnexplained(context, blockchain, [id], labels)).length > 0) return false
  // Before the wallet has it: cut off in between, the label is explained. A copy of this moment pays nothing twice: the wallet lists
  // what was sent.
  await notePayoutLabelStatement(db, id).run()
  if (!labels.has(nameOf('payout', id))) await addLabel(rpc, nameOf('payout', id))
  return true
}

/**
 * Labels a withdrawal as ended and then ends it (`end`, `false` where it could not), so that whatever is restored but the wallet, the
 * end is noticed. The wallet has one label more then than the database ever explains: what explains another is only that an end is known
 * to have failed, or that an operator has looked at it. With a mark "is to end" of the database, a copy of a moment between mark and end
 * would have explained the label for good. A withdrawal is ended by one request at a time, and while it is, its label is not taken for a
 * lost end. @throws {AppError} 503 {@link NodeError} {@link RpcError}
 */
export async function labelEnd(
  { db, rpc, now }: Omit<LabelContext, 'bucket'>,
  { id, blockchain }: Pick<Withdrawal, 'id' | 'blockchain'>,
  end: () => Promise<boolean>,
): Promise<boolean> {
  const name = nameOf('ended', id)
  const labels = await countLabelled(rpc, blockchain, [name])
  const explained = await claimEnd(db, id, { now, outdated: now - ENDING_MS })
  if (explained === undefined) throw beingEnded()
  let isEnded = false
  try {
    for (let count = labels.get(name) ?? 0; count <= explained; count++) await addLabel(rpc, name)
    isEnded = await end()
    return isEnded
  } finally {
    if (!isEnded) await explainEndStatement(db, id, now).run()
  }
}

/** Holds those of these withdrawals that the wallet has labels of which neither database nor bucket explain. Returns these, and those that are just being ended. */
export async function holdLabelled(
  context: LabelContext,
  blockchain: Blockchain,
  ids: readonly string[],
): Promise<Withdrawal[]> {
  return await holdUnexplained(context, blockchain, ids, await readLabels(context.rpc, blockchain, ids))
}

/**
 * Those of these withdrawals, for which something was signed, that the wallet says have ended, without the database knowing: payouts
 * stop. `true` for one that is just being ended. @throws {NodeError} {@link RpcError}
 */
export async function findEnded(
  { db, rpc, now }: LabelContext,
  blockchain: Blockchain,
  ids: readonly string[],
): Promise<Map<string, boolean>> {
  const labels = await countLabelled(
    rpc,
    blockchain,
    ids.map((id) => nameOf('ended', id)),
  )
  if (labels.size === 0) return new Map()
  const ended = (await selectWithdrawalsById(db, ids)).filter((one) => !one.ending && !isExplained(one, labels))
  const found = new Map(ended.map((one) => [one.id, isBeingEnded(one, now)]))
  const lost = ended.flatMap(({ id }) => (found.get(id) ? [] : [id]))
  if (lost.length > 0) {
    console.error('withdrawals_labelled', blockchain, lost.join())
    await stopPayouts(db, blockchain, { cause: 'sends', reason: REASON }, now)
  }
  return found
}

async function holdUnexplained(
  { db, bucket, now }: LabelContext,
  blockchain: Blockchain,
  ids: readonly string[],
  labels: ReadonlyMap<string, number>,
): Promise<Withdrawal[]> {
  const labelled = ids.filter((id) => LABELS.some((label) => labels.has(nameOf(label, id))))
  if (labelled.length === 0) return []
  // Read after the labels: what gives the wallet one has noted that in the database before.
  const unexplained = (await selectWithdrawalsById(db, labelled))
    .filter((one) => !isExplained(one, labels))
    .slice(0, MOST_HELD)
  const held: Withdrawal[] = []
  for (const one of unexplained.filter((each) => !isBeingEnded(each, now))) {
    // The agent itself finds the outcome of a payout that has a record in the bucket.
    const isPaid = !labels.has(nameOf('ended', one.id)) && (await hasPayoutRecord(bucket, blockchain, one.id))
    if (!isPaid) held.push(one)
  }
  if (held.length === 0) return unexplained
  console.error('withdrawals_labelled', blockchain, held.map(({ id }) => id).join())
  await stopPayouts(db, blockchain, { cause: 'sends', reason: REASON }, now)
  for (const one of held.filter(({ reason }) => reason !== PERHAPS_PAID)) {
    const told = withdrawalEventStatement(db, one, 'held', now)
    const ends = labels.get(nameOf('ended', one.id)) ?? 0
    await batchIf(db, [...holdUnexplainedStatements(db, one.id, ends, now), told])
  }
  return unexplained
}

async function readLabels(
  rpc: WalletRpc,
  blockchain: Blockchain,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const names = ids.flatMap((id) => LABELS.map((label) => nameOf(label, id)))
  return await countLabelled(rpc, blockchain, names)
}

/** Whether a request may be ending a withdrawal now, so that its label says nothing yet. Pure; `now` in milliseconds. */
export function isBeingEnded({ endBegun }: Pick<Withdrawal, 'endBegun'>, now: number): boolean {
  return endBegun !== undefined && endBegun > now - ENDING_MS
}

/** What a request gets while another ends the same withdrawal. */
export function beingEnded(): AppError {
  return unavailable('busy', 'This withdrawal is being ended by another request. Read it again.')
}

/** Whether the database knows why the wallet has these labels of a withdrawal; of ends, how many. Pure. */
function isExplained(
  { id, payoutLabelled, endLabels }: Pick<Withdrawal, 'id' | 'payoutLabelled' | 'endLabels'>,
  labels: ReadonlyMap<string, number>,
): boolean {
  return (payoutLabelled || !labels.has(nameOf('payout', id))) && (labels.get(nameOf('ended', id)) ?? 0) <= endLabels
}
