import * as dagCbor from '@ipld/dag-cbor'
import { varint } from 'multiformats'
import type { CID } from 'multiformats/cid'
import { concatBytes } from '../../../../protocol/bytes.ts'

/** The header of a CAR, with its length in front of it (CARv1 specification, "Header"). */
export function carHeader(roots: readonly CID[]): Uint8Array<ArrayBuffer> {
  return concatBytes(withLength([dagCbor.encode({ version: 1, roots: [...roots] })]))
}

/** The parts of a block's section in a CAR, in order: length, CID, bytes (CARv1 specification, "Data"). */
export function carSection(cid: CID, block: Uint8Array): Uint8Array[] {
  return withLength([cid.bytes, block])
}

function withLength(parts: Uint8Array[]): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0)
  return [varint.encodeTo(length, new Uint8Array(varint.encodingLength(length))), ...parts]
}
