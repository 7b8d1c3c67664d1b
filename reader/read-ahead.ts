/** A counting semaphore for read-ahead: the maximum number of reads that run before the caller needs their result. */
export class ReadAheadPermits {
  #free: number

  constructor(max: number) {
    this.#free = max
  }

  acquire(): boolean {
    if (this.#free === 0) return false
    this.#free--
    return true
  }

  release(): void {
    this.#free++
  }
}

/**
 * Yields the results of `read` for `items`, in order. Later items are read while the caller uses an earlier result. If
 * `ahead` is a number, at most so many reads run in parallel. Otherwise one read runs, and one more for each permit. A
 * failed read throws when its result is next. If the caller stops early, errors of running reads are ignored.
 */
export async function* readAhead<Item, Result>(
  items: Iterable<Item>,
  ahead: number | ReadAheadPermits,
  read: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, undefined> {
  const permits = typeof ahead === 'number' ? new ReadAheadPermits(ahead - 1) : ahead
  const pending: Promise<Result>[] = []
  // The first of `pending` needs no permit. Each of the others has one.
  const takeFirst = (): Promise<Result> | undefined => {
    const first = pending.shift()
    if (pending.length > 0) permits.release()
    return first
  }
  try {
    for (const item of items) {
      while (pending.length > 0 && !permits.acquire()) {
        const first = takeFirst()
        if (first) yield await first
      }
      const result = read(item)
      // Prevents an unhandled rejection: the result is awaited later, or never if the caller stops early.
      result.catch(() => {})
      pending.push(result)
    }
    for (let first = takeFirst(); first; first = takeFirst()) yield await first
    return undefined
  } finally {
    while (pending.length > 0) takeFirst()
  }
}
