import type { Client } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import type { PaymentRequest, StorageTarget } from '../../client/types.ts'
import { MAX_PAID_ITEMS } from '../../contract/limits.ts'
import { formatAmount, parseAmount } from '../../protocol/amount.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { type Agreement, checkPrice } from './confirm-price.ts'
import type { PaymentGroup, PaymentJournal } from './payment-journal.ts'
import { missingAmount, showPayment } from './show-payment.ts'
import { readRequest, waitForPayment } from './wait-for-payment.ts'

export interface Paying {
  client: Client
  journal: PaymentJournal
  blockchain: StorageTarget
  /** All items of the order, merged; some may be paid already. */
  ids: readonly string[]
  agreement: Agreement
  coin: string
  /** Wait until each request is paid. */
  wait: boolean
}

/** The requests that are still unpaid. */
export async function payItems(context: Context, paying: Paying): Promise<PaymentRequest[]> {
  const { output } = context
  const { journal, ids, wait } = paying
  const open: PaymentRequest[] = []
  let due = 0n
  let done = 0
  const groups = journal.groups(ids, MAX_PAID_ITEMS)
  output.step({ step: 'paying', done, total: ids.length, unit: 'items' })
  for (const group of groups) {
    const request = group.paid || (await isPaid(context, paying, group)) ? undefined : await ask(context, paying, group)
    if (request) {
      due += parseAmount(request.amount)
      checkPrice(due, paying.agreement, paying.coin)
      requireBalance(request, paying)
      // A request of an earlier run may be paid by now and must not be paid again.
      const told = (await readRequest(paying.client, request.address, context.signal)) ?? request
      if (isSeen(told)) output.note(`The payment of ${request.amount} ${paying.coin} was seen; nothing is left to pay.`)
      else showPayment(context, told, paying)
      if (!wait && !isSeen(told)) open.push(told)
      if (wait)
        await waitForPayment(context, { client: paying.client, request, id: group.ids[0] ?? '', coin: paying.coin })
      if (wait) await journal.paid(group.ids)
    }
    if (!request || wait) done += group.ids.length
    output.step({ step: 'paying', done, total: ids.length, unit: 'items' })
  }
  output.endStep()
  return open
}

const isSeen = (request: PaymentRequest) =>
  request.state === 'seen' || request.state === 'settled' || missingAmount(request) === 0n

/** Items of one request are paid together, so the state of the first is that of all. */
async function isPaid({ signal }: Context, { client, journal }: Paying, group: PaymentGroup): Promise<boolean> {
  const [first = ''] = group.ids
  // No payment was requested yet.
  if (!group.attempt) return false
  const { status } = await client.items.get(first, { signal })
  if (status === '402 Payment Required') return false
  await journal.paid(group.ids)
  return true
}

/** Requests the payment of a group; `undefined` if the balance paid it. */
async function ask(context: Context, paying: Paying, group: PaymentGroup): Promise<PaymentRequest | undefined> {
  const { client, journal, blockchain, agreement } = paying
  const now = context.now()
  const kept = group.request
  // A new request would be paid from a balance that covers it now.
  if (kept && kept.expiresAt * 1000 > now && !agreement.fromBalance) return kept
  try {
    const maxFromBalance = fromBalanceOf(agreement)
    const idempotencyKey = await journal.beginTry(group.ids, maxFromBalance ?? undefined, now)
    const order = { blockchain, ids: group.ids, maxFromBalance }
    const payment = await client.pay(order, { idempotencyKey, signal: context.signal })
    if (payment.paid) {
      await journal.paid(group.ids)
      return undefined
    }
    await journal.answered(group.ids, payment.request)
    return payment.request
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error
    const unpaid = await unpaidOf(context, paying, group.ids)
    // The error is not about items that are already paid.
    if (unpaid.length === group.ids.length) throw error
    await journal.drop(group.ids)
    if (unpaid.length === 0) return undefined
    return ask(context, paying, { ids: unpaid, attempt: undefined, request: undefined, paid: false })
  }
}

/** The most that the balance may pay for one request, in coins; `null` for any amount. */
function fromBalanceOf({ fromBalance, maxFee }: Agreement): string | null {
  if (!fromBalance) return '0'
  return maxFee === undefined ? null : formatAmount(maxFee)
}

async function unpaidOf({ signal }: Context, { client }: Paying, ids: readonly string[]): Promise<string[]> {
  const unpaid: string[] = []
  for (const id of ids) {
    const { status } = await client.items.get(id, { signal })
    if (status === '402 Payment Required') unpaid.push(id)
  }
  return unpaid
}

/** @throws {CommandError} 9 if the balance should pay but does not cover the amount */
function requireBalance(request: PaymentRequest, { agreement, coin }: Paying): void {
  if (!agreement.fromBalance) return
  throw new CommandError(
    EXIT.tooDear,
    'insufficient_balance',
    `The balance does not cover the ${formatAmount(missingAmount(request))} ${coin} that are due. Nothing was paid.`,
    {
      hint: `Send coins to ${request.address}, or to an address of hookline balance --deposit, and run the same command again.`,
    },
  )
}
