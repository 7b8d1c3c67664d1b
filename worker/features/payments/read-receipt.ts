import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { coinsJson } from '../../platform/http/coins-json.ts'
import { notFound } from '../../platform/http/errors.ts'
import { selectPreferences } from '../auth/sql/users.ts'
import { paymentParts } from './payment-parts.ts'
import { readRates } from './sql/prices.ts'
import { selectPaidItem, selectPaidLines, selectPaying } from './sql/receipts.ts'

/**
 * The receipt of a paid item of the caller, as JSON text: who sold what to whom, the price of its request, the parts of
 * that price, and the source of the money.
 * @throws {AppError} 404.
 */
export async function readReceipt(
  db: D1Database,
  { seller }: Pick<Config, 'seller'>,
  userId: string,
  itemId: string,
): Promise<string> {
  const paid = await selectPaidItem(db, userId, itemId)
  if (!paid) throw notFound('You have no item with this id that is paid for.')
  const { request, name, blockchain, index, paidAt, paid: amount } = paid
  const { address } = request
  const [payments, lines, preferences] = await Promise.all([
    address === undefined ? [] : selectPaying(db, { ...request, address }),
    selectPaidLines(db, request.id),
    selectPreferences(db, userId),
  ])
  const received = payments.reduce((sum, { amount }) => sum + amount, 0n)
  const fields = {
    number: receiptNumber(request.id, paidAt),
    seller,
    buyer: preferences?.buyer ?? '',
    item: itemId,
    name,
    blockchain,
    ...(index === null ? {} : { index }),
    paidIn: request.blockchain,
    paidAt: unixSeconds(paidAt),
    items: request.itemIds.length,
    lines,
    rates: readRates(paid.rates) ?? {},
  }
  const fromBalance = received >= amount ? 0n : amount - received
  const entries = payments.map(({ txid, amount }) => coinsJson({ txid }, { amount }))
  return coinsJson(fields, { amount, ...paymentParts(request), fromBalance }, { payments: `[${entries.join()}]` })
}

/** A number that a person can read to another: the day of the payment, and the beginning of the id of its request. */
function receiptNumber(requestId: string, paidAt: number): string {
  const day = new Date(paidAt).toISOString().slice(0, 10).replaceAll('-', '')
  return `${day}-${requestId.slice(0, 8).toUpperCase()}`
}
