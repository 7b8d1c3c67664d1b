import { writeParts } from '../flow/write-parts.ts'

/** Bytes that are read before the status is sent: all of a small body, and at most the first block of a large one. */
export const HELD_BYTES = 64 * 1024

/**
 * An answer that streams bytes. It waits for the first ones, so that their failure or denial has a status of its own.
 * @throws what reading the first bytes throws.
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
    // The reader may leave before `yield*` has started it.
    await bytes.return(undefined)
  }
  return undefined
}
