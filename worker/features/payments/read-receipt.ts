import { unixSeconds } from '../../platform/clock.ts'
import { coinsJson } from '../../platform/http/coins-json.ts'
import { notFound } from '../../platform/http/errors.ts'
import { paymentParts } from './payment-parts.ts'
import { selectPaidItem, selectPaying } from './sql/receipts.ts'

/**
 * The receipt of a paid item of the caller, as JSON text: the price of its request, the parts of that price, and the
 * source of the money.
 * @throws {AppError} 404.
 */
export async function readReceipt(db: D1Database, userId: string, itemId: string): Promise<string> {
  const paid = await selectPaidItem(db, userId, itemId)
  if (!paid) throw notFound('You have no item with this id that is paid for.')
  const { request, name, blockchain, index, paidAt, paid: amount } = paid
  const { address } = request
  const payments = address === undefined ? [] : await selectPaying(db, { ...request, address })
  const received = payments.reduce((sum, { amount }) => sum + amount, 0n)
  const fields = {
    item: itemId,
    name,
    blockchain,
    ...(index === null ? {} : { index }),
    paidIn: request.blockchain,
    paidAt: unixSeconds(paidAt),
    items: request.itemIds.length,
  }
  const fromBalance = received >= amount ? 0n : amount - received
  const entries = payments.map(({ txid, amount }) => coinsJson({ txid }, { amount }))
  return coinsJson(fields, { amount, ...paymentParts(request), fromBalance }, { payments: `[${entries.join()}]` })
}
