import { asyncIterableReader, createDecoder } from '@ipld/car/decoder'
import { ReaderError } from '../reader-error.ts'
import type { CarBlock } from './car-reader.ts'

/** The longest CID before a block of a CAR. */
const MAX_CID_BYTES = 256

/** The blocks of a CAR as it arrives, not verified. @throws {ReaderError} `invalid_car`, `too_large` */
export async function* carBlocks(body: AsyncIterable<Uint8Array>, maxBlockBytes: number): AsyncGenerator<CarBlock> {
  const reader = asyncIterableReader(body)
  const decoder = createDecoder({
    upTo: (length: number) => reader.upTo(length),
    // The decoder holds a whole section: one that no block fills is refused before it is waited for.
    exactly(length: number, seek?: boolean) {
      if (length <= maxBlockBytes + MAX_CID_BYTES) return reader.exactly(length, seek)
      throw new ReaderError('too_large', `A block has ${length} bytes; the limit is ${maxBlockBytes}.`)
    },
    seek: (length: number) => reader.seek(length),
    get pos() {
      return reader.pos
    },
  })
  try {
    yield* decoder.blocks()
  } catch (error) {
    if (error instanceof ReaderError) throw error
    throw new ReaderError('invalid_car', 'The CAR is not complete.', error)
  }
}
