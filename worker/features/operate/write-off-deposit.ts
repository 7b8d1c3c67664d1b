import { type Blockchain, isBlockchain } from '../../../protocol/chains.ts'
import { readWalletTransactions, type WalletTransaction } from '../../chain/rpc/transaction-methods.ts'
import { batchIf, ROUNDS } from '../../platform/d1/guarded-batch.ts'
import { AppError, notFound } from '../../platform/http/errors.ts'
import { readDeeper } from '../payments/confirmations-above.ts'
import { type PaymentContext, withWallet } from '../payments/payment-context.ts'
import { insertLedgerStatement, selectLedgerTail, writeOffOf } from '../payments/sql/ledger.ts'
import {
  type CreditedOutput,
  MEMPOOL_EXPIRY_MS,
  selectCredited,
  writeOffOutputStatements,
} from '../payments/sql/outputs.ts'

/** The amount written off, whose balance it left, and the part that the balance lacked; base units. */
export interface WrittenOff {
  account: string
  blockchain: Blockchain
  amount: bigint
  loss: bigint
}

/**
 * Returns what was written off. Reverses a credit whose transaction is lost ({@link isLost}). What the balance lacks is
 * booked as a loss. If the output reappears after all, it is credited again. `name` is the chain, the txid and the number
 * of the output, joined by hyphens. `record` makes the entries that are written in the same batch.
 * @throws {AppError} 404, 409, 503
 */
export async function writeOffDeposit(
  context: PaymentContext,
  name: string,
  record: (made: WrittenOff) => D1PreparedStatement[],
): Promise<WrittenOff> {
  const { db, config, now } = context
  const [, blockchain, txid = '', vout] = /^([A-Za-z]+)-([0-9a-f]{64})-(\d{1,6})$/.exec(name) ?? []
  if (!isBlockchain(blockchain)) throw unknown()
  const point = { txid, vout: Number(vout) }
  for (let round = 0; round < ROUNDS; round++) {
    const output = await selectCredited(db, blockchain, point)
    if (!output) throw unknown()
    const deeper = await readDeeper({ db, blockchain, config }, [txid])
    const confirmations = Math.max(config.chains[blockchain].confirmations, deeper.get(txid) ?? 0)
    await requireLost(context, { ...output, blockchain }, confirmations)
    const { userId: account, amount } = output
    const tail = await selectLedgerTail(db, account, blockchain)
    const { loss, moves } = writeOffOf(output, tail.balance)
    const made = { account, blockchain, amount, loss }
    const written = await batchIf(db, [
      ...writeOffOutputStatements(db, blockchain, point),
      insertLedgerStatement(db, { userId: account, blockchain }, tail, moves, now),
      ...record(made),
    ])
    if (written) return made
  }
  throw new AppError(
    409,
    'request_changing',
    'The balance has changed, or the output is in a block again. Read it again.',
  )
}

/**
 * Whether a credited output that is in no block is lost. Either another transaction, at least `confirmations` deep, spends what its
 * transaction spent; or the wallet, as one that was replaced, does not know that, and no mempool has it any more. Pure.
 */
export function isLost(
  { goneAt }: Pick<CreditedOutput, 'goneAt'>,
  known: Pick<WalletTransaction, 'confirmations'> | undefined,
  { confirmations, now }: { confirmations: number; now: number },
): boolean {
  if (known) return known.confirmations <= -confirmations
  return goneAt !== undefined && goneAt < now - MEMPOOL_EXPIRY_MS
}

/** @throws {AppError} 409, 503 */
async function requireLost(
  context: PaymentContext,
  output: CreditedOutput & { blockchain: Blockchain },
  confirmations: number,
): Promise<void> {
  const { blockchain, txid } = output
  const [known] = await withWallet(context, blockchain, (rpc) => readWalletTransactions(rpc, [txid]))
  if (isLost(output, known, { confirmations, now: context.now })) return
  const message = `No transaction in a block conflicts with this one, ${confirmations} confirmations deep, so it may still be mined.`
  throw new AppError(409, 'deposit_not_lost', message)
}

function unknown(): AppError {
  return notFound('There is no credited output with this id; ids are <chain>-<txid>-<number of the output>.')
}
