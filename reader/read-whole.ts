import { concatBytes } from '../protocol/bytes.ts'

/** All pieces as one. */
export async function readWhole(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(piece)
  return concatBytes(parts)
}
