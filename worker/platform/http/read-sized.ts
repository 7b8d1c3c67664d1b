/** All bytes of a body of known size. Each piece is copied as it comes: the next one may take its place in memory. */
export async function readSized(pieces: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const all = new Uint8Array(size)
  let offset = 0
  for await (const piece of pieces) {
    all.set(piece, offset)
    offset += piece.byteLength
  }
  return all
}
