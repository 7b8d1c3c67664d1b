/** How many reads may be under way before their turn, over all that is read ahead of one reader. */
export class ReadAheadPermits {
  #left: number

  constructor(most: number) {
    this.#left = most
  }

  take(): boolean {
    if (this.#left === 0) return false
    this.#left--
    return true
  }

  giveBack(): void {
    this.#left++
  }
}

/**
 * The results of `read` for `items`, in order. Later ones are read while the caller uses an earlier one: up to `ahead` at once,
 * or one and as many more as there are permits. A failed read throws at its place in the order. If the caller stops early,
 * errors of running reads are ignored.
 */
export async function* readAhead<Item, Result>(
  items: Iterable<Item>,
  ahead: number | ReadAheadPermits,
  read: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, undefined> {
  const permits = typeof ahead === 'number' ? new ReadAheadPermits(ahead - 1) : ahead
  const underWay: Promise<Result>[] = []
  // The one whose turn it is needs no permit; the others have one each.
  const takeFirst = (): Promise<Result> | undefined => {
    const first = underWay.shift()
    if (underWay.length > 0) permits.giveBack()
    return first
  }
  try {
    for (const item of items) {
      while (underWay.length > 0 && !permits.take()) {
        const first = takeFirst()
        if (first) yield await first
      }
      const result = read(item)
      // It is awaited later, or never if the caller stops early.
      result.catch(() => {})
      underWay.push(result)
    }
    for (let first = takeFirst(); first; first = takeFirst()) yield await first
    return undefined
  } finally {
    while (underWay.length > 0) takeFirst()
  }
}
