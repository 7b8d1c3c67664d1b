import { fromHex } from '../../../protocol/bytes.ts'
import { text } from '../../kit/rpc-client.ts'

/** Bytes of an RPC answer in hex; none where it is no hex. */
export function bytesOf(hex: unknown): Uint8Array {
  return fromHex(text(hex)) ?? new Uint8Array(0)
}
