import { createHash } from 'node:crypto'
import { MAX_DECODED_ITEMS } from '../../../../contract/decoded.ts'
import { parseMediaType } from '../../../../contract/media-type.ts'
import { concatBytes, toHex } from '../../../../protocol/bytes.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { writeContentName } from '../../../../protocol/inscriptions/content-name.ts'
import { beginDoginal, joinParts } from '../../../../protocol/inscriptions/doginal.ts'
import { readEnvelopes } from '../../../../protocol/inscriptions/envelopes.ts'
import { readInscription } from '../../../../protocol/inscriptions/inscription.ts'
import type { InscriptionId } from '../../../../protocol/inscriptions/inscription-id.ts'
import { readStamp } from '../../../../protocol/inscriptions/stamp.ts'
import { typeOfBytes } from '../../../../protocol/inscriptions/type-of-bytes.ts'
import { readOpReturn } from '../../../../protocol/op-return.ts'
import type { Transaction } from '../../../../protocol/transaction.ts'

const MAX_PARENTS = 100
const MAX_METADATA = 8 << 10
const OP_RETURN = 0x6a
const OP_13 = 0x5d

/** One thing that a transaction holds. */
export interface DecodedItem {
  name: string
  encoding: 'inscription' | 'doginal' | 'stamp' | 'op_return' | 'runestone'
  type: string | null
  typeFrom: 'chain' | 'bytes' | null
  contentEncoding: string | null
  size: number
  sha256: string
  delegate: string | null
  parents: string[]
  metadata: string | null
  metaprotocol: string | null
  pointer: string | null
  missing: number
  input: number | null
  vout: number | null
}

/** All that a transaction holds that is read here, at most 256 things: nothing of it is verified beyond its txid. */
export function describeTransaction(blockchain: Blockchain, txid: string, transaction: Transaction): DecodedItem[] {
  const written = blockchain === 'Dogecoin' ? doginalsIn(txid, transaction) : inscriptionsIn(txid, transaction)
  const stamps = blockchain === 'Bitcoin' ? stampsIn(txid, transaction) : []
  return [...written, ...stamps, ...outputsOf(txid, transaction)].slice(0, MAX_DECODED_ITEMS)
}

function inscriptionsIn(txid: string, transaction: Transaction): DecodedItem[] {
  const envelopes = readEnvelopes(transaction).slice(0, MAX_DECODED_ITEMS)
  return envelopes.map((envelope, index) => {
    const found = readInscription(envelope)
    const { metadata, pointer } = found
    return {
      ...itemOf(nameOf({ txid, index }), 'inscription', found.body ?? new Uint8Array(0), found.type),
      contentEncoding: found.encoding ?? null,
      delegate: found.delegate ? nameOf(found.delegate) : null,
      parents: found.parents.slice(0, MAX_PARENTS).map(nameOf),
      metadata: metadata && metadata.length <= MAX_METADATA ? toHex(metadata) : null,
      metaprotocol: found.metaprotocol ?? null,
      pointer: pointer === undefined ? null : String(pointer),
      input: found.input,
    }
  })
}

function doginalsIn(txid: string, { inputs }: Transaction): DecodedItem[] {
  const doginal = beginDoginal(inputs[0]?.script ?? new Uint8Array(0))
  if (!doginal) return []
  const { type, missing, delegate } = doginal
  const item = itemOf(nameOf({ txid, index: 0 }), 'doginal', joinParts(doginal), type)
  return [{ ...item, delegate: delegate ? nameOf(delegate) : null, missing, input: 0 }]
}

function stampsIn(txid: string, transaction: Transaction): DecodedItem[] {
  const stamp = readStamp(transaction)
  if (!stamp || (!stamp.isMarked && typeOfBytes(stamp.data) === undefined)) return []
  return [itemOf(writeContentName({ kind: 'stamp', txid }), 'stamp', stamp.data, undefined)]
}

function outputsOf(txid: string, { outputs }: Transaction): DecodedItem[] {
  const found: DecodedItem[] = []
  for (const [vout, { script }] of outputs.entries()) {
    if (found.length >= MAX_DECODED_ITEMS) break
    const data = concatBytes(readOpReturn(script) ?? [])
    if (data.length === 0) continue
    const isRunestone = script[0] === OP_RETURN && script[1] === OP_13
    found.push({ ...itemOf(txid, isRunestone ? 'runestone' : 'op_return', data, undefined), vout })
  }
  return found
}

function itemOf(
  name: string,
  encoding: DecodedItem['encoding'],
  bytes: Uint8Array,
  said: string | undefined,
): DecodedItem {
  const fromChain = said === undefined ? undefined : parseMediaType(said.trim())
  const type = fromChain ?? typeOfBytes(bytes)
  return {
    name,
    encoding,
    type: type ?? null,
    typeFrom: type === undefined ? null : fromChain === undefined ? 'bytes' : 'chain',
    contentEncoding: null,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    delegate: null,
    parents: [],
    metadata: null,
    metaprotocol: null,
    pointer: null,
    missing: 0,
    input: null,
    vout: null,
  }
}

function nameOf(id: InscriptionId): string {
  return writeContentName({ kind: 'inscription', id })
}
