import { type Blockchain, CHAINS } from '../../../protocol/chains.ts'
import { decodeTransaction, unsignedId } from '../../../protocol/transaction.ts'
import { readWalletTransactions } from '../../chain/rpc/transaction-methods.ts'
import { type PaymentContext, withWallet } from '../payments/payment-context.ts'
import { getPayoutRecord, type PayoutRecord } from '../wallet/payout-records.ts'
import type { Send } from './sql/sends.ts'

/**
 * The record of a payout that was handed out to be signed and was sent by somebody else: without segwit it is stored under the id that
 * the transaction has without signatures. `undefined` where there is none. @throws {AppError} 503
 */
export async function findUnsignedRecord(
  context: PaymentContext & { bucket: R2Bucket },
  { blockchain, txid }: Pick<Send, 'blockchain' | 'txid'>,
): Promise<PayoutRecord | undefined> {
  if (CHAINS[blockchain].segwit) return undefined
  const sent = await readSent(context, { blockchain, txid })
  return sent && (await getUnsignedRecord(context.bucket, blockchain, sent))
}

/** A transaction as the wallet has it; `undefined` where it does not know it. @throws {AppError} 503 */
export async function readSent(
  context: PaymentContext,
  { blockchain, txid }: Pick<Send, 'blockchain' | 'txid'>,
): Promise<Uint8Array | undefined> {
  const [sent] = await withWallet(context, blockchain, (rpc) => readWalletTransactions(rpc, [txid]))
  return sent?.bytes
}

/** The record that is stored under the id that a transaction has without signatures; with segwit that is its txid. */
export async function getUnsignedRecord(
  bucket: R2Bucket,
  blockchain: Blockchain,
  bytes: Uint8Array,
): Promise<PayoutRecord | undefined> {
  return await getPayoutRecord(bucket, blockchain, unsignedId(decodeTransaction(bytes)))
}
