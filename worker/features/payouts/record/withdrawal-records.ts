import type { Blockchain } from '../../../../protocol/chains.ts'
import { isRecord } from '../../../platform/http/is-record.ts'
import type { Coin } from '../../transactions/sql/tx-chains.ts'

/** R2: what happened to each withdrawal, stored before it happens and apart from the database. */
export const PAYOUT_RECORDS = 'payouts/'

/** What every record of a withdrawal says of it; money in base units, the script in hex. */
export interface WithdrawalRecord {
  /** Of the withdrawal. */
  id: string
  account: string
  amount: bigint
  /** That was debited beside the amount. */
  fee: bigint
  feeRate: bigint
  address: string
  script: string
}

/** Where a record of a chain is stored. */
export function recordKey(blockchain: Blockchain, name: string): string {
  return `${PAYOUT_RECORDS}${blockchain}/${name}`
}

/** How many records are listed at a time: as many as R2 does. */
const LISTED = 1_000

/** What follows `name` in the names of all records of a chain that begin with it, a page after the other. */
export async function* listNames(bucket: R2Bucket, blockchain: Blockchain, name: string): AsyncGenerator<string[]> {
  const prefix = recordKey(blockchain, name)
  for (let startAfter: string | undefined; ; ) {
    const { objects, truncated } = await bucket.list({ prefix, limit: LISTED, ...(startAfter && { startAfter }) })
    yield objects.map(({ key }) => key.slice(prefix.length))
    startAfter = objects.at(-1)?.key
    if (!truncated || startAfter === undefined) return
  }
}

/** Stores a record as JSON, money as text. @throws if the bucket does not store it. */
export async function putRecord(bucket: R2Bucket, key: string, record: WithdrawalRecord): Promise<void> {
  const text = JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
  await bucket.put(key, new TextEncoder().encode(text))
}

/** A record as `read` makes it of its fields; `undefined` where it is not there, or can't be read. */
export async function getRecord<Read>(
  bucket: R2Bucket,
  key: string,
  read: (fields: Record<string, unknown>) => Read,
): Promise<Read | undefined> {
  const object = await bucket.get(key)
  if (!object) return undefined
  try {
    return read(asFields(JSON.parse(await object.text())))
  } catch (error) {
    console.error('record_damaged', key, error)
    return undefined
  }
}

/** What every record says. @throws where it lacks any of it. */
export function readWithdrawal(fields: Record<string, unknown>): WithdrawalRecord {
  return {
    id: asText(fields.id),
    account: asText(fields.account),
    ...{ amount: asUnits(fields.amount), fee: asUnits(fields.fee), feeRate: asUnits(fields.feeRate) },
    address: asText(fields.address),
    script: asText(fields.script),
  }
}

/** A coin as a record has it. @throws for another value. */
export function asCoin(value: unknown): Coin {
  const { txid, vout, value: units, script } = asFields(value)
  return { txid: asText(txid), vout: Number(vout), value: asUnits(units), script: asText(script) }
}

/** Fields of a part of a record. @throws where it has none. */
export function asFields(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw new Error('a record of a withdrawal has no fields')
  return value
}

/** Base units of a record. @throws for another value. */
export function asUnits(value: unknown): bigint {
  return BigInt(asText(value))
}

/** A text of a record. @throws for another value. */
export function asText(value: unknown): string {
  if (typeof value !== 'string') throw new Error('a record of a withdrawal lacks a field')
  return value
}
