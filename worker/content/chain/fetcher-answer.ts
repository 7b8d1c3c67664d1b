import { concatBytes } from '../../../protocol/bytes.ts'
import type { FetcherAnswer } from '../../platform/bindings.ts'
import { writeParts } from '../../platform/flow/write-parts.ts'
import { inSteps, lengthOf } from './join-parts.ts'

/** Content up to here (bytes) goes to the Worker in one piece, without the steps of a stream. */
const ONE_PIECE = 1 << 20

/** Parts as the fetcher sends them: what is large as a stream, which takes no copy of all of it. */
export function sendParts(
  parts: readonly Uint8Array[],
  found: Omit<Extract<FetcherAnswer, { outcome: 'found' }>, 'outcome' | 'body' | 'length'>,
): FetcherAnswer {
  const length = lengthOf(parts)
  return { outcome: 'found', body: length > ONE_PIECE ? streamOf(parts, length) : concatBytes(parts), length, ...found }
}

/** The parts as they lie in memory: a stream of JavaScript's own would take each, and want a copy to take. */
function streamOf(parts: readonly Uint8Array[], length: number): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(length)
  void writeParts(writable, inSteps(parts))
  return readable
}
