import { concatBytes } from '../../protocol/bytes.ts'
import type { FetcherAnswer } from '../bindings.ts'
import { lengthOf } from './gathered-content.ts'

/** Content up to here (bytes) goes to the Worker in one piece, without the steps of a stream. */
const ONE_PIECE = 1 << 20
/** What a step of a stream brings at the least (bytes). */
const STEP = 256 << 10

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

function* inSteps(parts: readonly Uint8Array[]): Generator<Uint8Array, undefined> {
  let joined: Uint8Array[] = []
  let length = 0
  for (const part of parts) {
    joined.push(part)
    length += part.length
    if (length < STEP) continue
    yield concatBytes(joined)
    joined = []
    length = 0
  }
  if (length > 0) yield concatBytes(joined)
  return undefined
}
