import { concatBytes } from '../../../protocol/bytes.ts'
import type { FetcherAnswer } from '../../platform/bindings.ts'
import type { MemoryShare } from '../../platform/flow/memory-budget.ts'
import { writeParts } from '../../platform/flow/write-parts.ts'
import { AppError } from '../../platform/http/errors.ts'
import { WHOLE_BYTES } from './content-record.ts'
import { inSteps, lengthOf } from './join-parts.ts'

/** Parts as the fetcher sends them: large content as a stream, without a copy of it, which holds `share` until its end. */
export function sendParts(
  parts: readonly Uint8Array[],
  found: Omit<Extract<FetcherAnswer, { outcome: 'found' }>, 'outcome' | 'body' | 'length'>,
  share: MemoryShare | undefined,
): FetcherAnswer {
  const length = lengthOf(parts)
  const body = length > WHOLE_BYTES ? streamOf(parts, length, share) : concatBytes(parts)
  return { outcome: 'found', body, length, ...found }
}

/** A stream of the parts in memory: a stream made in JavaScript would transfer their buffers, so it would need a copy. */
function streamOf(
  parts: readonly Uint8Array[],
  length: number,
  share: MemoryShare | undefined,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(length)
  share?.retain()
  void writeParts(writable, touching(inSteps(parts), share)).finally(() => share?.release())
  return readable
}

function* touching(steps: Iterable<Uint8Array>, share: MemoryShare | undefined): Generator<Uint8Array> {
  for (const step of steps) {
    share?.touch()
    yield step
  }
}

/** The answer for an {@link AppError}. @throws other errors. */
export function errorAnswer(error: unknown): Extract<FetcherAnswer, { outcome: 'error' }> {
  if (!(error instanceof AppError)) throw error
  if (error.cause !== undefined) console.error(error.code, error.cause)
  const { status, code, message, headers } = error
  return { outcome: 'error', status, code, message, headers }
}
