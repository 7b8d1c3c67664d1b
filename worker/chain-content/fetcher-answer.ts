import { concatBytes } from '../../protocol/bytes.ts'
import type { FetcherAnswer } from '../bindings.ts'
import { inSteps, lengthOf } from './join-parts.ts'

/** Content up to here (bytes) goes to the Worker in one piece, without the steps of a stream. */
const ONE_PIECE = 1 << 20

/** Parts as the fetcher sends them: what is large as a stream, which takes no copy of all of it. */
export function sendParts(
  parts: readonly Uint8Array[],
  found: Omit<Extract<FetcherAnswer, { outcome: 'found' }>, 'outcome' | 'body' | 'length'>,
): FetcherAnswer {
  const length = lengthOf(parts)
  return { outcome: 'found', body: length > ONE_PIECE ? streamOf(parts) : concatBytes(parts), length, ...found }
}

function streamOf(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const steps = inSteps(parts)
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const { value } = steps.next()
      if (value) controller.enqueue(value)
      else controller.close()
    },
  })
}
