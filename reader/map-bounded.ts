/**
 * Runs `run` for every entry, at most `atOnce` at a time, in order. The first error begins no other, and is thrown once
 * those under way have ended.
 */
export async function mapBounded<Entry, Result>(
  entries: readonly Entry[],
  atOnce: number,
  run: (entry: Entry, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = entries.entries()
  let failure: { error: unknown } | undefined
  const work = async () => {
    for (const [index, entry] of queue) {
      try {
        results[index] = await run(entry, index)
      } catch (error) {
        failure ??= { error }
      }
      if (failure) return
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, entries.length) }, work))
  if (failure) throw failure.error
  return results
}
