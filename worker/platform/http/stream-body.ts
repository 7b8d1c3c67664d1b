import { writeParts } from '../flow/write-parts.ts'

/** What is read before the status is sent (bytes): all of a small body, and no more than the first block of a large one. */
export const HELD_BYTES = 64 * 1024

/**
 * Answers with bytes as they are read: waits for the first ones, so that their failure or denial is still an answer.
 * @throws whatever reading the first bytes throws.
 */
export async function streamBody(
  bytes: AsyncGenerator<Uint8Array>,
  { readable, writable }: TransformStream<Uint8Array, Uint8Array>,
  init: ResponseInit,
): Promise<Response> {
  const first: Uint8Array[] = []
  for (let held = 0; held < HELD_BYTES; ) {
    const { value, done } = await bytes.next()
    if (done) break
    first.push(value)
    held += value.byteLength
  }
  void writeParts(writable, continued(first, bytes))
  return new Response(readable, init)
}

async function* continued(
  first: readonly Uint8Array[],
  bytes: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    yield* first
    yield* bytes
  } finally {
    // It may be left before its own turn came.
    await bytes.return(undefined)
  }
  return undefined
}
