import { hashChunk } from '../accept-chunk.ts'
import type { ChunkPlan } from '../chunk-plan.ts'
import { putChunk, putTail } from '../sql/upload-objects.ts'
import { type BodyPieces, PIECE_BYTES } from './body-pieces.ts'
import { ChunkAssembler, type Piece } from './chunk-assembler.ts'
import type { HeldBytes } from './held-bytes.ts'

/** How the bytes of a request ended: at its end, by a cut, with more than the upload has, or because of another writer. */
export type PartEnd = 'whole' | 'cut' | 'too_long' | 'displaced'

/**
 * Reads a part of an upload and stores every byte of it that arrives: whole chunks with their SHA-256, and what is left
 * of the next one as a tail, however the part ends. While one chunk is being stored the next one is read, at most two
 * of them in memory.
 * @throws what the storage throws; what was stored before counts.
 */
export async function receivePart(
  bucket: R2Bucket,
  item: ChunkPlan & { id: string },
  held: HeldBytes,
  pieces: BodyPieces,
  onBytes: (count: number) => void,
): Promise<{ offset: number; end: PartEnd }> {
  const assembler = new ChunkAssembler(item, held.index, held.tail)
  let storing: Promise<boolean> | undefined
  const storeNext = async (piece: Piece) => {
    // The chunk before is stored first: its buffer is used again.
    if ((await storing) === false) return false
    storing = storeChunk(bucket, item.id, piece, held)
    storing.catch(() => {})
    return true
  }
  let end: PartEnd | undefined
  while (end === undefined) {
    // What is read next may make a chunk whole, and must not be in memory beside two others.
    if (storing && assembler.missing <= PIECE_BYTES && !(await storing)) {
      return { offset: assembler.offset, end: 'displaced' }
    }
    const bytes = await pieces.next(assembler.missing || 1).catch(() => null)
    if (!bytes) end = bytes === null ? 'cut' : 'whole'
    else if (assembler.missing === 0) end = 'too_long'
    else {
      onBytes(bytes.byteLength)
      const whole = assembler.add(bytes)
      if (whole && !(await storeNext(whole))) return { offset: assembler.offset, end: 'displaced' }
    }
  }
  if ((await storing) === false) return { offset: assembler.offset, end: 'displaced' }
  const tail = assembler.tail()
  if (!tail || assembler.offset === held.offset) return { offset: assembler.offset, end }
  const stored = await putTail(bucket, item.id, tail, held.tailEtag)
  return { offset: assembler.offset, end: stored ? end : 'displaced' }
}

async function storeChunk(bucket: R2Bucket, itemId: string, { index, bytes }: Piece, held: HeldBytes) {
  return await putChunk(bucket, itemId, { index, bytes, sha256: await hashChunk(bytes) }, held.chunks.get(index)?.etag)
}
