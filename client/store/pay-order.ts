import { MAX_PAID_ITEMS } from '../../contract/limits.ts'
import { formatAmount, parseAmount } from '../../protocol/amount.ts'
import { inGroups } from '../../reader/in-groups.ts'
import { ApiError, HooklineError } from '../http/api-error.ts'
import type { CallOptions } from '../resources/call-options.ts'
import type { itemsOf } from '../resources/items.ts'
import type { paymentsOf } from '../resources/payments.ts'
import type { Payment, PaymentRequest, StorageTarget } from '../types.ts'
import type { OrderJournal } from './order-journal.ts'

export interface PayTools {
  items: Pick<ReturnType<typeof itemsOf>, 'get'>
  payments: Pick<ReturnType<typeof paymentsOf>, 'request' | 'get'>
  /** The most that items may cost now, in coins. */
  priceOf(ids: readonly string[]): Promise<string>
}

export interface PayOptions extends CallOptions {
  to: StorageTarget
  /** The most that the whole order may cost, in coins. */
  maxFee?: string | undefined
  /** Pay from the balance, up to `maxFee`; any amount without one. */
  fromBalance: boolean
  /** Called with each request, and whether its amount was seen; resolves with `true` if its items are paid by then. */
  onRequest?(request: PaymentRequest, isSeen: boolean, ids: readonly string[]): Promise<boolean> | undefined
  onProgress?(progress: { phase: 'paying'; done: number; total: number }): void
}

/** A file whose item the service no longer has. The next run creates it again. */
type LostFile = readonly [index: number, error: ApiError]

/** Requests the payment of what is unpaid, in batches of the size that the service accepts, one after another. */
export async function payOrder(
  tools: PayTools,
  journal: OrderJournal,
  ids: readonly string[],
  options: PayOptions,
): Promise<{ payments: PaymentRequest[]; lost: LostFile[] }> {
  const { state } = journal
  const { fromBalance, maxFee, signal } = options
  const unpaid = ids.filter((id) => !state.paid.has(id))
  const payments: PaymentRequest[] = []
  const lost: LostFile[] = []
  let due = 0n
  const paidBefore = ids.filter((id) => state.paid.has(id))
  const limited = fromBalance && unpaid.length > 0 && paidBefore.length > 0
  const spent = limited ? parseAmount(await tools.priceOf(paidBefore)) : 0n
  let left = fromBalance ? parseAmount(maxFee ?? '0') - spent : 0n
  let done = paidBefore.length
  const batches = paymentBatches(unpaid, [...state.payments.values()])
  for (const batch of batches) {
    // The service does not say what it charged. With several batches each may therefore cost at most its estimate.
    const most = batches.length > 1 && left > 0n ? parseAmount(await tools.priceOf(batch)) : left
    const allowed = left < 0n ? 0n : most < left ? most : left
    const limit = fromBalance && maxFee === undefined ? null : formatAmount(allowed)
    // One lookup, instead of one for each item after the service has refused to request their payment again.
    const address = state.payments.get(batch.join())?.address
    const settled = address !== undefined && (await tools.payments.get(address, { signal })).state === 'settled'
    const payment = settled ? undefined : await payBatch(tools, journal, batch, lost, { ...options, limit })
    let paid = payment?.paid !== false
    // A wallet may have paid it meanwhile, which counts as well.
    if (paid) left -= allowed
    if (payment?.paid === false) {
      due += parseAmount(payment.request.amount)
      checkPrice(formatAmount(due), maxFee)
      // One that an earlier run showed may be paid by now and must not be paid again.
      const request = await tools.payments.get(payment.request.address, { signal })
      const isSeen =
        request.state === 'seen' ||
        request.state === 'settled' ||
        parseAmount(request.received) >= parseAmount(request.amount)
      paid = (await options.onRequest?.(request, isSeen, batch)) === true
      if (!paid && !isSeen) payments.push(request)
    }
    if (paid) {
      await journal.write({ kind: 'paid', ids: batch })
      done += batch.length
    }
    options.onProgress?.({ phase: 'paying', done, total: ids.length })
  }
  return { payments, lost }
}

/** How to pay a batch; `undefined` if nothing is left to pay. */
async function payBatch(
  tools: PayTools,
  journal: OrderJournal,
  ids: readonly string[],
  lost: LostFile[],
  options: PayOptions & { limit: string | null },
): Promise<Payment | undefined> {
  const { to: blockchain, limit: maxFromBalance, signal } = options
  // Recorded before the request, so that the next attempt uses a new key after any response. The service then
  // returns its open request.
  await journal.write({ kind: 'payment', ids })
  const attempt = journal.state.payments.get(ids.join())?.attempts
  const idempotencyKey = `${journal.state.id}-pay-${ids[0]}-${ids.length}-${attempt}`
  try {
    const payment = await tools.payments.request({ blockchain, ids, maxFromBalance }, { idempotencyKey, signal })
    if (!payment.paid) await journal.write({ kind: 'requested', ids, address: payment.request.address })
    return payment
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 409)) throw error
    const unpaid = await stillUnpaid(tools, journal, ids, lost, signal)
    // The error is not about items that are paid or gone.
    if (unpaid.length === ids.length) throw error
    return unpaid.length === 0 ? undefined : payBatch(tools, journal, unpaid, lost, options)
  }
}

/** Those of the items that are unpaid. Missing ones expired or were deleted. */
async function stillUnpaid(
  { items }: PayTools,
  journal: OrderJournal,
  ids: readonly string[],
  lost: LostFile[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const unpaid: string[] = []
  const paid: string[] = []
  for (const id of ids) {
    try {
      const { status } = await items.get(id, { signal })
      const known = status === '402 Payment Required' ? unpaid : paid
      known.push(id)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
      const [index] = [...journal.state.files].find(([, file]) => file.id === id) ?? []
      if (index === undefined) throw error
      await journal.write({ kind: 'lost', index })
      lost.push([index, error])
    }
  }
  if (paid.length > 0) await journal.write({ kind: 'paid', ids: paid })
  return unpaid
}

/**
 * Unpaid items grouped as they were requested before, since an item is in one request only; new ones are last. Pure.
 */
function paymentBatches(
  unpaid: readonly string[],
  before: readonly { ids: readonly string[] }[],
): (readonly string[])[] {
  const open = new Set(unpaid)
  const known = before.map(({ ids }) => ids).filter((ids) => ids.every((id) => open.has(id)))
  const taken = new Set(known.flat())
  const rest = unpaid.filter((id) => !taken.has(id))
  return [...known, ...inGroups(rest, MAX_PAID_ITEMS)]
}

/** @throws {TooDearError} */
export function checkPrice(amount: string | undefined, maxFee: string | undefined): void {
  if (amount === undefined || maxFee === undefined || parseAmount(amount) <= parseAmount(maxFee)) return
  throw new TooDearError(amount, maxFee)
}

/** Thrown before any money moves. */
export class TooDearError extends HooklineError {
  override name = 'TooDearError'
  /** Decimal numbers of coins, as text. */
  readonly amount: string
  readonly maxFee: string

  constructor(amount: string, maxFee: string) {
    super('too_dear', `This costs ${amount}, more than the limit of ${maxFee}. Nothing was paid.`)
    this.amount = amount
    this.maxFee = maxFee
  }
}
