/** Runs `run` for every entry, at most `lanes` at a time; the first error ends it, once those under way have ended. */
export async function mapBounded<Entry, Result>(
  entries: readonly Entry[],
  lanes: number,
  run: (entry: Entry, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = entries.entries()
  let failed = false
  const lane = async () => {
    for (const [index, entry] of queue) {
      if (failed) return
      try {
        results[index] = await run(entry, index)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: Math.min(lanes, entries.length) }, lane))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return results
}
