/**
 * A body of pieces that are read as its reader asks for them: one is there ahead. `failed` is told of an error, which also ends
 * the body with an error; `ended` of its end in any way.
 */
export function streamBody(
  pieces: AsyncGenerator<Uint8Array>,
  { failed, ended }: { failed(error: unknown): void; ended(): void },
): ReadableStream<Uint8Array> {
  let cancelled = false
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next()
        if (cancelled) return
        if (!done) return controller.enqueue(value)
        controller.close()
      } catch (error) {
        if (cancelled) return
        controller.error(error)
        failed(error)
      }
      ended()
    },
    async cancel() {
      cancelled = true
      ended()
      await pieces.return(undefined)
    },
  })
}
