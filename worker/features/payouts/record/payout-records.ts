import type { Blockchain } from '../../../../protocol/chains.ts'
import { selectSweepPosition, updateSweepPosition } from '../../../platform/d1/sweep-positions.ts'
import type { Coin } from '../../transactions/sql/tx-chains.ts'
import {
  asCoin,
  asFields,
  asText,
  asUnits,
  getRecord,
  listNames,
  PAYOUT_RECORDS,
  putRecord,
  readWithdrawal,
  recordKey,
  type WithdrawalRecord,
} from './withdrawal-records.ts'

/** How long a record is stored, in milliseconds: longer than the database can be restored back to. */
const RECORDS_KEPT = 40 * 86_400_000
/** Records looked at in one run of the sweep. */
const SWEPT = 500

/** What is stored of a payout. */
export interface PayoutRecord extends WithdrawalRecord {
  coin: Coin
  /** The tx chain of its transaction. */
  txChain: { script: string; vsize: number; fee: bigint; changeVout: number; changeValue: bigint }
}

/** Begins the name of the mark that a withdrawal has a payout. */
const MARK = 'paid-'

function markOf(blockchain: Blockchain, withdrawalId: string): string {
  return recordKey(blockchain, `${MARK}${withdrawalId}`)
}

/**
 * Stores the record of a payout under the id of its transaction, and a mark that its withdrawal has one. @throws if the
 * bucket does not store it.
 */
export async function putPayoutRecord(
  bucket: R2Bucket,
  blockchain: Blockchain,
  txid: string,
  record: PayoutRecord,
): Promise<void> {
  await putRecord(bucket, recordKey(blockchain, txid), record)
  // Stored last: a mark always names a payout whose record is complete.
  await bucket.put(markOf(blockchain, record.id), new TextEncoder().encode(txid))
}

/** Whether anything that pays a withdrawal was ever about to be sent, in the last 40 days. */
export async function hasPayoutRecord(
  bucket: R2Bucket,
  blockchain: Blockchain,
  withdrawalId: string,
): Promise<boolean> {
  return (await bucket.head(markOf(blockchain, withdrawalId))) !== null
}

/** Ids of all withdrawals of a chain that have a payout, a page after the other. */
export function listPaid(bucket: R2Bucket, blockchain: Blockchain): AsyncGenerator<string[]> {
  return listNames(bucket, blockchain, MARK)
}

/**
 * Deletes the mark that a withdrawal has a payout: an operator says that it was never mined. The record of the
 * transaction remains.
 */
export async function deletePayoutMark(bucket: R2Bucket, blockchain: Blockchain, withdrawalId: string): Promise<void> {
  await bucket.delete(markOf(blockchain, withdrawalId))
}

/** Stores a test record in the bucket. @throws if the bucket does not store it. */
export async function probePayoutRecords(bucket: R2Bucket, blockchain: Blockchain, now: number): Promise<void> {
  await bucket.put(recordKey(blockchain, 'probe'), new TextEncoder().encode(String(now)))
}

/** The last payout of a withdrawal that was about to be sent in the last 40 days; `undefined` where there was none. */
export async function getLastPayout(
  bucket: R2Bucket,
  blockchain: Blockchain,
  withdrawalId: string,
): Promise<{ txid: string; paid: PayoutRecord } | undefined> {
  const mark = await bucket.get(markOf(blockchain, withdrawalId))
  if (!mark) return undefined
  const txid = await mark.text()
  const paid = await getPayoutRecord(bucket, blockchain, txid)
  return paid && { txid, paid }
}

/** The record of the payout that a transaction makes; `undefined` if none is stored or it can't be read. */
export async function getPayoutRecord(
  bucket: R2Bucket,
  blockchain: Blockchain,
  txid: string,
): Promise<PayoutRecord | undefined> {
  return await getRecord(bucket, recordKey(blockchain, txid), readPayout)
}

function readPayout(fields: Record<string, unknown>): PayoutRecord {
  const txChain = asFields(fields.txChain)
  return {
    ...readWithdrawal(fields),
    coin: asCoin(fields.coin),
    txChain: {
      script: asText(txChain.script),
      vsize: Number(txChain.vsize),
      fee: asUnits(txChain.fee),
      changeVout: Number(txChain.changeVout),
      changeValue: asUnits(txChain.changeValue),
    },
  }
}

/** Deletes records that are too old, some at a time and all in turn. `now` in milliseconds. */
export async function sweepPayoutRecords(db: D1Database, bucket: R2Bucket, now: number): Promise<void> {
  const position = await selectSweepPosition(db, PAYOUT_RECORDS)
  const after = position === '' ? {} : { startAfter: position }
  const { objects, truncated } = await bucket.list({ prefix: PAYOUT_RECORDS, limit: SWEPT, ...after })
  const old = objects.filter(({ uploaded }) => uploaded.getTime() < now - RECORDS_KEPT).map(({ key }) => key)
  if (old.length > 0) await bucket.delete(old)
  const next = truncated ? (objects.at(-1)?.key ?? '') : ''
  if (next !== position) await updateSweepPosition(db, PAYOUT_RECORDS, next)
}
