import type { SendAssignment } from '../../../../contract/operate.ts'
import { formatAmount } from '../../../../protocol/amount.ts'
import { toHex } from '../../../../protocol/bytes.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { decodeTransaction } from '../../../../protocol/transaction.ts'
import { selectTip } from '../../../chain/follower/blocks.ts'
import { readWalletTransactions } from '../../../chain/rpc/transaction-methods.ts'
import { batchIf, ROUNDS } from '../../../platform/d1/guarded-batch.ts'
import { AppError, invalidField, notFound } from '../../../platform/http/errors.ts'
import { requireAccount, selectUser } from '../../auth/sql/users.ts'
import { type PaymentContext, withWallet } from '../../payments/payment-context.ts'
import { giveUpUnsent } from '../../transactions/sign/give-up.ts'
import { insertLostPayoutStatements } from '../../transactions/sql/lost-payouts.ts'
import { assignSendStatements, type Send, selectSend } from '../../transactions/sql/sends.ts'
import { type Coin, selectNextTxChainId } from '../../transactions/sql/tx-chains.ts'
import { debitLost, debitLostFee } from '../end/debit-lost.ts'
import { type EndingContext, requireOpen, SERVICE } from '../end/end-withdrawal.ts'
import { getPayoutRecord, type PayoutRecord } from '../record/payout-records.ts'
import { selectUntiedByScript, tieToPayoutStatements } from '../sql/tie-to-payouts.ts'
import { insertWithdrawalStatement, selectWithdrawalsById, type Withdrawal } from '../sql/withdrawals.ts'
import { requireSettled } from './notice-restore.ts'

/** What an operator says of a send. */
type SendTarget = Omit<SendAssignment, 'reason'>

/** A send as it was assigned, with what the balance of the account lacked; base units. */
export interface AssignedSend extends Send {
  account: string | undefined
  loss: bigint
}

type Record = (assigned: AssignedSend) => D1PreparedStatement[]

/**
 * Returns the assigned send. Assigns a transaction that left the wallet and that the database does not know. As a
 * withdrawal or a sweep it is what its record says: a waiting withdrawal counts as paid by it, and one that the
 * database has lost is recorded again and debited. What the balance lacks is a loss. As foreign, it was sent by
 * somebody else who has the wallet. `record` makes the entries that are written in the same batch; `noticeRestore` has the
 * chain's agent look, before anything is debited, whether the database was restored once more.
 * @throws {AppError} 400, 404, 409, 503
 */
export async function assignSend(
  context: PaymentContext & Pick<EndingContext, 'bucket' | 'noticeRestore'>,
  txid: string,
  order: SendTarget,
  record: Record,
): Promise<AssignedSend> {
  const { db, bucket } = context
  const send = await selectSend(db, txid)
  if (!send) throw notFound('No send of this transaction is listed.')
  if (send.assigned) throw assignedAlready()
  if (order.as === 'foreign') {
    const assigned = { ...send, assigned: order.as, account: undefined, loss: 0n }
    const done = await batchIf(db, [...assignSendStatements(db, send, { as: order.as, loss: 0n }), ...record(assigned)])
    if (!done) throw assignedAlready()
    return assigned
  }
  await context.noticeRestore(send.blockchain)
  await requireSettled(db, send.blockchain)
  const kept = await getPayoutRecord(bucket, send.blockchain, txid)
  if (kept) return await assignPayout(context, send, order, kept, record)
  const [sent] = await withWallet(context, send.blockchain, (rpc) => readWalletTransactions(rpc, [txid]))
  if (!sent) throw notFound("The node's wallet does not know this transaction any more.")
  return await assignPayout(context, send, order, await readPayout(context, send, order, sent.bytes), record)
}

/**
 * The record of a payout that has none, from its transaction: of the waiting withdrawal with the same script and
 * amount, or as the operator says.
 */
async function readPayout(
  context: PaymentContext,
  { blockchain, amount }: Send,
  order: SendTarget,
  sent: Uint8Array,
): Promise<PayoutRecord> {
  const { db } = context
  const { inputs, outputs } = decodeTransaction(sent)
  const scripts = outputs.map(({ script }) => toHex(script))
  const waiting = (await selectUntiedByScript(db, blockchain, scripts)).find((one) =>
    outputs.some(({ value, script }) => value === one.amount && toHex(script) === one.script),
  )
  const paid = order.amount ?? waiting?.amount ?? amount
  const vout = Math.max(
    0,
    outputs.findIndex(({ value }) => value === paid),
  )
  const rest = outputs.findIndex((_, index) => index !== vout)
  const coin = await readCoin(context, blockchain, inputs)
  const account = order.as === 'sweep' ? SERVICE : (order.account ?? waiting?.userId)
  if (account === undefined) throw invalidField('account', 'is needed: there is no record of this payout.')
  return {
    ...{ id: waiting?.id ?? crypto.randomUUID(), account, amount: paid, fee: waiting?.fee ?? 0n },
    ...{ feeRate: waiting?.feeRate ?? 0n, address: waiting?.address ?? '', script: scripts[vout] ?? '' },
    coin,
    txChain: {
      ...{ script: scripts[rest] ?? '', vsize: sent.length, fee: 0n },
      ...{ changeVout: Math.max(0, rest), changeValue: outputs[rest]?.value ?? 0n },
    },
  }
}

/** What a transaction spends first, as the wallet has it. @throws {AppError} 404, 503 */
async function readCoin(
  context: PaymentContext,
  blockchain: Blockchain,
  [input]: readonly { txid: string; vout: number }[],
): Promise<Coin> {
  const source = await withWallet(context, blockchain, async (rpc) => {
    const [known] = input ? await readWalletTransactions(rpc, [input.txid]) : []
    return known && input && decodeTransaction(known.bytes).outputs[input.vout]
  })
  if (!input || !source) throw notFound("The node's wallet does not know what this transaction spends.")
  return { txid: input.txid, vout: input.vout, value: source.value, script: toHex(source.script) }
}

async function assignPayout(
  context: PaymentContext,
  send: Send,
  order: SendTarget,
  paid: PayoutRecord,
  record: Record,
): Promise<AssignedSend> {
  const { db, now } = context
  const { blockchain, txid } = send
  const height = (await selectTip(db, blockchain))?.height ?? 0
  const given = order.account
  const user = given === undefined ? await selectUser(db, paid.account) : await requireAccount(db, given)
  const userId = order.as === 'sweep' ? SERVICE : (user?.id ?? paid.account)
  for (let round = 0; round < ROUNDS; round++) {
    const [known] = await selectWithdrawalsById(db, [paid.id])
    if (known) requireOpen(known)
    const { loss, statements } = known
      ? await debitLostFee(db, known, paid, now)
      : await debitPayout(context, paid, { userId, blockchain }, user !== undefined)
    const assigned: AssignedSend = { ...send, assigned: order.as, account: known?.userId ?? userId, loss }
    const txChain = await selectNextTxChainId(db, blockchain)
    // As where the database was restored while another was being made.
    const unsent = known ? await giveUpUnsent(db, blockchain, known.id) : []
    const done = await batchIf(db, [
      ...assignSendStatements(db, send, { as: order.as, loss }),
      ...(known ? [] : [insertWithdrawalStatement(db, { ...fieldsOf(paid), userId, blockchain, createdAt: now })]),
      ...statements,
      ...unsent,
      ...tieToPayoutStatements(db, paid.id, paid.coin, now),
      ...insertLostPayoutStatements(db, { blockchain, txid, withdrawalId: paid.id, txChain, height, paid }),
      ...record(assigned),
    ])
    if (done) return assigned
  }
  throw new AppError(409, 'request_changing', 'The balance or the send has changed since you read it. Read it again.')
}

/** Debits a payout that the database has lost; what the balance lacks, and all where there is no account, is the loss. */
async function debitPayout(
  { db, now }: PaymentContext,
  paid: PayoutRecord,
  account: { userId: string; blockchain: Blockchain },
  hasAccount: boolean,
): Promise<{ loss: bigint; statements: D1PreparedStatement[] }> {
  if (account.userId === SERVICE) return { loss: 0n, statements: [] }
  const debit = hasAccount ? await debitLost(db, paid, account, now) : { taken: 0n, statements: [] }
  return { loss: paid.amount + paid.fee - debit.taken, statements: debit.statements }
}

function fieldsOf({ id, address, script, amount, fee, feeRate }: PayoutRecord) {
  return { id, address, script, amount, fee, feeRate } satisfies Partial<Withdrawal>
}

function assignedAlready(): AppError {
  return new AppError(409, 'send_assigned', 'This send is assigned already.')
}

/** A send as the API answers it, as fields and amounts for JSON. */
export function sendFields({ blockchain, txid, seenAt, assigned }: Send) {
  return { txid, blockchain, since: Math.floor(seenAt / 1000), assigned: assigned ?? null }
}

/** The withdrawal that the record of a payout names for a send. */
export function describeRecord(record: PayoutRecord | undefined) {
  if (!record) return null
  const { id, account, address, amount, fee } = record
  return { id, account, address, amount: Number(formatAmount(amount)), fee: Number(formatAmount(fee)) }
}
