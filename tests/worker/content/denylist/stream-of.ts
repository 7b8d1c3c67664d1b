/** A stream of parts, each made when it is asked for. */
export function streamOf(parts: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = parts[Symbol.iterator]()
  return new ReadableStream({
    pull(controller) {
      const { value, done } = iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}
