import { AmountError, formatAmount, parseAmount } from '../../protocol/amount.ts'
import { askYes, canAsk } from '../run/ask.ts'
import { CommandError, usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { Worth } from './read-worth.ts'

/** What the person has confirmed. */
export interface Agreement {
  /** The most that it may cost, in base units. */
  maxFee: bigint | undefined
  /** Whether the balance may pay. */
  fromBalance: boolean
}

/** The option --max-fee in base units. @throws {CommandError} 2 */
export function readMaxFee(context: Context): bigint | undefined {
  const text = context.line.value('max-fee')
  return text === undefined ? undefined : readCoins(text, '--max-fee')
}

/**
 * A number of coins on the command line.
 * @throws {CommandError} 2
 */
export function readCoins(text: string, what: string): bigint {
  try {
    const units = parseAmount(text)
    if (units >= 0n) return units
  } catch (error) {
    if (!(error instanceof AmountError)) throw error
  }
  throw usageError(
    `${what} must be a number of coins with at most 8 decimals, not ${JSON.stringify(text.slice(0, 40))}.`,
  )
}

/**
 * Without a terminal the limit is required; checked before any request.
 * @throws {CommandError} 2
 */
export function requireLimit(context: Context): void {
  if (canAsk(context) || context.line.has('max-fee') || context.line.has('dry-run')) return
  throw usageError(
    'This costs money, and there is no terminal to confirm it.',
    'Give the limit with --max-fee, in coins.',
  )
}

/**
 * Shows the price and asks for confirmation. The balance pays only after --pay-from-balance or a confirmation.
 * @throws {CommandError} 2 if the person declines
 */
export async function confirmPrice(
  context: Context,
  offer: {
    what: string
    coin: string
    estimate: string | undefined
    balance: bigint | undefined
    /** What the estimate is worth in another currency. */
    worth: Worth
  },
): Promise<Agreement> {
  const { line, output } = context
  const maxFee = readMaxFee(context)
  const fromBalance = line.has('pay-from-balance')
  const price = offer.estimate === undefined ? undefined : parseAmount(offer.estimate)
  const { balance = 0n, coin } = offer
  const covered = balance > 0n && (price === undefined || balance >= price)
  if (price !== undefined)
    output.note(`${offer.what} costs at most ${formatAmount(price)} ${coin}${offer.worth(price)}.`)
  if (fromBalance && price !== undefined && balance < price && offer.balance !== undefined) {
    output.note(
      `The balance of ${formatAmount(balance)} ${coin} may not cover it; the exact price is known after the upload.`,
    )
  }
  if (covered && !fromBalance) {
    const message = `Your balance of ${formatAmount(balance)} ${coin} would pay for it`
    if (!canAsk(context)) output.note(`${message} with --pay-from-balance.`)
    else if (await askYes(context, `${message}. Pay from the balance?`, ''))
      return { maxFee: maxFee ?? price, fromBalance: true }
  }
  if (maxFee === undefined) {
    const most = price === undefined ? '' : ` for at most ${formatAmount(price)} ${coin}`
    if (!(await askYes(context, `Store ${offer.what}${most}?`, 'Give --max-fee.'))) throw declined()
  }
  // The balance pays no more than the shown price.
  return { maxFee: maxFee ?? (fromBalance ? price : undefined), fromBalance }
}

const declined = () => usageError('Nothing was stored and nothing was paid.')

/** @throws {CommandError} 9 if `amount` is above the confirmed limit */
export function checkPrice(amount: bigint, { maxFee }: Agreement, coin: string): void {
  if (maxFee === undefined || amount <= maxFee) return
  throw new CommandError(
    EXIT.tooDear,
    'too_dear',
    `It costs ${formatAmount(amount)} ${coin}, more than the ${formatAmount(maxFee)} that --max-fee allows. Nothing was paid.`,
    { hint: 'What was sent is kept. To resume, run the same command with a higher --max-fee.' },
  )
}
