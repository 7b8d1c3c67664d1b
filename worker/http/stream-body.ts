/** What is read before the status goes out (bytes): all of a small body, and no more than the first block of a large one. */
const HELD_BYTES = 64 * 1024

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
  void feed(writable.getWriter(), first, bytes)
  return new Response(readable, init)
}

async function feed(
  writer: WritableStreamDefaultWriter<Uint8Array>,
  first: readonly Uint8Array[],
  bytes: AsyncGenerator<Uint8Array>,
): Promise<void> {
  // They reject when the reader leaves; the write that fails says the same.
  writer.closed.catch(() => {})
  writer.ready.catch(() => {})
  try {
    for (const part of first) await writer.write(part)
    for await (const part of bytes) await writer.write(part)
    await writer.close()
  } catch (error) {
    // The reader left, or a block could not be had: either way nobody may take this for the end.
    await bytes.return(undefined)
    await writer.abort(error).catch(() => {})
    console.warn('stream_ended_early', error instanceof Error ? error.message : error)
  }
}
