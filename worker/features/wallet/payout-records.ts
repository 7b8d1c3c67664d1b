import type { Blockchain } from '../../../protocol/chains.ts'
import { selectSweepPosition, updateSweepPosition } from '../../platform/d1/sweep-positions.ts'
import { isRecord } from '../../platform/http/is-record.ts'
import type { Coin } from './sql/lanes.ts'

/** R2: what each payout was, from before it is sent on, apart from the database. */
export const PAYOUT_RECORDS = 'payouts/'
/** How long a record is there, in milliseconds: longer than the database can be restored back to. */
const RECORDS_KEPT = 40 * 86_400_000
/** Records looked at in one run of the sweep. */
const SWEPT = 500

/** What is kept of a payout; money in base units, scripts in hex. */
export interface PayoutRecord {
  /** Of the withdrawal. */
  id: string
  account: string
  amount: bigint
  /** That was debited beside the amount. */
  fee: bigint
  feeRate: bigint
  address: string
  script: string
  coin: Coin
  /** Of its transaction. */
  lane: { script: string; vsize: number; fee: bigint; changeVout: number; changeValue: bigint }
}

function keyOf(blockchain: Blockchain, txid: string): string {
  return `${PAYOUT_RECORDS}${blockchain}/${txid}`
}

function markOf(blockchain: Blockchain, withdrawalId: string): string {
  return keyOf(blockchain, `paid-${withdrawalId}`)
}

/** Keeps what a payout is, under the id of its transaction, and that its withdrawal has one. @throws where the bucket does not take it. */
export async function putPayoutRecord(
  bucket: R2Bucket,
  blockchain: Blockchain,
  txid: string,
  record: PayoutRecord,
): Promise<void> {
  const text = JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
  await bucket.put(markOf(blockchain, record.id), new TextEncoder().encode(txid))
  await bucket.put(keyOf(blockchain, txid), new TextEncoder().encode(text))
}

/** Whether anything that pays a withdrawal was ever about to be sent, in the last 40 days. */
export async function hasPayoutRecord(
  bucket: R2Bucket,
  blockchain: Blockchain,
  withdrawalId: string,
): Promise<boolean> {
  return (await bucket.head(markOf(blockchain, withdrawalId))) !== null
}

/** Asks the bucket to take something as a record. @throws where it does not. */
export async function probePayoutRecords(bucket: R2Bucket, blockchain: Blockchain, now: number): Promise<void> {
  await bucket.put(keyOf(blockchain, 'probe'), new TextEncoder().encode(String(now)))
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

/** What the payout of a transaction was; `undefined` where nothing is kept of it, or what is kept can't be read. */
export async function getPayoutRecord(
  bucket: R2Bucket,
  blockchain: Blockchain,
  txid: string,
): Promise<PayoutRecord | undefined> {
  const object = await bucket.get(keyOf(blockchain, txid))
  if (!object) return undefined
  try {
    return readRecord(JSON.parse(await object.text()))
  } catch (error) {
    console.error('record_damaged', blockchain, txid, error)
    return undefined
  }
}

function readRecord(value: unknown): PayoutRecord {
  const fields = asFields(value)
  const lane = asFields(fields.lane)
  return {
    id: asText(fields.id),
    account: asText(fields.account),
    amount: BigInt(asText(fields.amount)),
    fee: BigInt(asText(fields.fee)),
    feeRate: BigInt(asText(fields.feeRate)),
    address: asText(fields.address),
    script: asText(fields.script),
    coin: coinOf(fields.coin),
    lane: {
      script: asText(lane.script),
      vsize: Number(lane.vsize),
      fee: BigInt(asText(lane.fee)),
      changeVout: Number(lane.changeVout),
      changeValue: BigInt(asText(lane.changeValue)),
    },
  }
}

function asFields(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw new Error('a record of a payout has no fields')
  return value
}

/** A coin as a record has it. @throws where it is none. */
export function coinOf(value: unknown): Coin {
  const { txid, vout, value: units, script } = asFields(value)
  return { txid: asText(txid), vout: Number(vout), value: BigInt(asText(units)), script: asText(script) }
}

/** A text of a record. @throws where it is none. */
export function asText(value: unknown): string {
  if (typeof value !== 'string') throw new Error('a record of a payout lacks a field')
  return value
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
