import type { Blockchain } from '../../../../protocol/chains.ts'
import type { Coin } from '../../transactions/sql/tx-chains.ts'
import {
  asCoin,
  getRecord,
  listNames,
  putRecord,
  readWithdrawal,
  recordKey,
  type WithdrawalRecord,
} from './withdrawal-records.ts'

/** R2: how each withdrawal ended without being paid, from before it did on, apart from the database; swept with the records of payouts. */
const NAME = 'end-'

/** As what a withdrawal may end without having been paid by a transaction. */
export type EndedAs = 'cancelled' | 'refunded' | 'paid_elsewhere'

/** What is stored of the end of a withdrawal. */
export interface EndRecord extends WithdrawalRecord {
  ended: EndedAs
  /** What it was tied to; absent where nothing was ever signed for it. */
  coin: Coin | undefined
}

type Named = Pick<EndRecord, 'id' | 'ended'>

function keyOf(blockchain: Blockchain, { id, ended }: Named): string {
  return recordKey(blockchain, `${NAME}${id}.${ended}`)
}

/** Stores how a withdrawal is about to end. @throws if the bucket does not store it. */
export async function putEndRecord(bucket: R2Bucket, blockchain: Blockchain, record: EndRecord): Promise<void> {
  await putRecord(bucket, keyOf(blockchain, record), record)
}

/** Deletes the record of an end that did not happen. */
export async function deleteEndRecord(bucket: R2Bucket, blockchain: Blockchain, record: Named): Promise<void> {
  await bucket.delete(keyOf(blockchain, record))
}

/** Names of all ends of a chain's withdrawals that are stored, a page after the other. */
export async function* listEndRecords(bucket: R2Bucket, blockchain: Blockchain): AsyncGenerator<Named[]> {
  for await (const names of listNames(bucket, blockchain, NAME)) yield names.flatMap(nameOf)
}

function nameOf(name: string): Named[] {
  const [id = '', ended] = name.split('.')
  return isEnded(ended) ? [{ id, ended }] : []
}

/** The stored record of an end; `undefined` if it does not exist or can't be read. */
export async function getEndRecord(
  bucket: R2Bucket,
  blockchain: Blockchain,
  named: Named,
): Promise<EndRecord | undefined> {
  return await getRecord(bucket, keyOf(blockchain, named), readEnd)
}

function readEnd(fields: Record<string, unknown>): EndRecord {
  const { ended, coin } = fields
  if (!isEnded(ended)) throw new Error('a record of an end names none')
  return { ...readWithdrawal(fields), ended, coin: coin === undefined ? undefined : asCoin(coin) }
}

function isEnded(value: unknown): value is EndedAs {
  return value === 'cancelled' || value === 'refunded' || value === 'paid_elsewhere'
}
