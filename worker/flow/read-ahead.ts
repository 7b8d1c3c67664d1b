/**
 * What `read` returns for each of `items`, in order, up to `ahead` of them under way while the caller is busy with an
 * earlier one. A failed read is thrown when its turn comes; of what is under way when the caller leaves early, nobody
 * hears.
 */
export async function* readAhead<Item, Result>(
  items: Iterable<Item>,
  ahead: number,
  read: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, undefined> {
  const underWay: Promise<Result>[] = []
  for (const item of items) {
    const result = read(item)
    // Its turn to be awaited comes later, or never when the caller leaves.
    result.catch(() => {})
    underWay.push(result)
    if (underWay.length < ahead) continue
    const first = underWay.shift()
    if (first) yield await first
  }
  for (let first = underWay.shift(); first; first = underWay.shift()) yield await first
  return undefined
}
