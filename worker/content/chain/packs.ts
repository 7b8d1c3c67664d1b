import { concatBytes } from '../../../protocol/bytes.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { objectId } from '../../../protocol/object-id.ts'
import {
  reverseHex,
  type StrippedTransaction,
  stripTransaction,
  TransactionError,
} from '../../../protocol/transaction.ts'
import { doubleSha256 } from '../../chain/rpc/double-sha256.ts'
import type { PackedPlace } from '../../platform/bindings.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import type { PackRead } from './plan-pack-reads.ts'

/** R2: transactions without witness, one behind the other, by chain and the object id of the pack. */
export const PACK_PREFIX = 'chain/packs/'

/** What a pack has at least before the next is begun (bytes). */
const PACK_BYTES = 1 << 20
/** Transactions that become one object. */
export interface Pack {
  id: string
  bytes: Uint8Array
  places: PackedPlace[]
}

/**
 * The packs of `transactions` in their order, one at a time in memory and at most `maxPacks`, because each costs a reader one
 * R2 operation. `now` in milliseconds since 1970.
 */
export function* makePacks(
  transactions: readonly { txid: string; bytes: Uint8Array }[],
  maxPacks: number,
  now: number,
): Generator<Pack, undefined> {
  const total = transactions.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const least = Math.max(PACK_BYTES, Math.ceil(total / Math.max(1, maxPacks)))
  let parts: Uint8Array[] = []
  let places: PackedPlace[] = []
  let id = objectId(now)
  let length = 0
  for (const { txid, bytes } of transactions) {
    places.push({ txid, pack: id, offset: length, length: bytes.length })
    parts.push(bytes)
    length += bytes.length
    if (length < least) continue
    yield { id, bytes: concatBytes(parts), places }
    parts = []
    places = []
    id = objectId(now)
    length = 0
  }
  if (length > 0) yield { id, bytes: concatBytes(parts), places }
  return undefined
}

/** Stores a pack. Its id was never used before. */
export async function putPack(bucket: R2Bucket, blockchain: Blockchain, { id, bytes }: Pack): Promise<void> {
  await bucket.put(`${PACK_PREFIX}${blockchain}/${id}`, bytes)
}

/**
 * The transactions in a stretch of a pack, each with the txid that it hashes to: what was altered has another and answers
 * nothing. `undefined` when the pack is not there; what follows bytes that are no transaction is left out.
 */
export async function readPack(
  bucket: R2Bucket,
  blockchain: Blockchain,
  { pack, start, end }: PackRead,
): Promise<StrippedTransaction[] | undefined> {
  const key = `${PACK_PREFIX}${blockchain}/${pack}`
  const object = await bucket.get(key, { range: { offset: start, length: end - start } })
  if (!object) return undefined
  const bytes = new Uint8Array(await object.arrayBuffer())
  const transactions: StrippedTransaction[] = []
  try {
    for (let offset = 0; offset < bytes.length; ) {
      const transaction = stripTransaction(bytes, offset)
      transactions.push({ ...transaction, txid: reverseHex(doubleSha256(transaction.bytes)) })
      offset = transaction.end
    }
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error
    logOnceAMinute('error', 'pack_damaged', key, error.message)
  }
  return transactions
}
