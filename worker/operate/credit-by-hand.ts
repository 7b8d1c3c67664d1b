import { AmountError, formatAmount, parseAmount } from '../../protocol/amount.ts'
import { type Blockchain, isBlockchain } from '../../protocol/chains.ts'
import { AppError, invalidField, notFound } from '../http/errors.ts'
import { readText } from '../http/read-fields.ts'
import { selectUser, selectUserByEmail } from '../storage/accounts/users.ts'
import { batchIf } from '../storage/guarded-batch.ts'
import { insertLedgerStatement, selectLedgerTail } from '../storage/payments/ledger.ts'
import type { ActContext } from './settle-by-hand.ts'

/** Rounds of reading and writing before an operator is told that other money was always faster. */
const ROUNDS = 5

/** The chain that an act is about. @throws {AppError} 400 */
export function parseActChain(body: Record<string, unknown>): Blockchain {
  const name = readText(body, 'blockchain')
  if (isBlockchain(name)) return name
  throw invalidField('blockchain', 'must be a chain; IPFS has no coins of its own.')
}

/** An amount of coins, as decimal text, in base units. @throws {AppError} 400 */
export function parseActAmount(body: Record<string, unknown>): bigint {
  try {
    return parseAmount(readText(body, 'amount'))
  } catch (error) {
    if (error instanceof AmountError) throw invalidField('amount', error.message)
    throw error
  }
}

/**
 * Adds an amount to the balance of an account, or takes it away again where it is below zero, never more than is there.
 * @throws {AppError} 400, 404, 409
 */
export async function creditByHand(
  { db, now, record }: Pick<ActContext, 'db' | 'now' | 'record'>,
  order: { account: string; blockchain: Blockchain; amount: bigint },
): Promise<{ balance: bigint }> {
  const { account, blockchain, amount } = order
  if (amount === 0n) throw invalidField('amount', 'must not be zero.')
  const user = (await selectUser(db, account)) ?? (await selectUserByEmail(db, account.toLowerCase()))
  if (!user) throw notFound('There is no account with this id or address.')
  for (let round = 0; round < ROUNDS; round++) {
    const tail = await selectLedgerTail(db, user.id, blockchain)
    if (tail.balance + amount < 0n) {
      const message = `The balance is ${formatAmount(tail.balance)}: no more than that can be taken away.`
      throw new AppError(409, 'balance_exceeded', message, { details: { balance: formatAmount(tail.balance) } })
    }
    const move = { amount, cause: `manual:${crypto.randomUUID()}` }
    const moved = await batchIf(db, [
      insertLedgerStatement(db, { userId: user.id, blockchain }, tail, [move], now),
      ...record({ account: user.id, amount, blockchain }),
    ])
    if (moved) return { balance: tail.balance + amount }
  }
  throw new AppError(409, 'request_changing', 'Other money of this account was moving. Try again.')
}
