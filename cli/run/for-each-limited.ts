/** Calls `act` for each, at most `limit` at a time, in order. The first failure ends it once what runs has ended. */
export async function forEachLimited<Entry>(
  entries: Iterable<Entry>,
  limit: number,
  act: (entry: Entry) => Promise<void>,
): Promise<void> {
  const iterator = entries[Symbol.iterator]()
  let failure: { error: unknown } | undefined
  const work = async () => {
    for (let next = iterator.next(); !next.done && !failure; next = iterator.next()) {
      try {
        await act(next.value)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: limit }, work))
  if (failure) throw failure.error
}
