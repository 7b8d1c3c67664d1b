/**
 * Heights of blocks as they are stored of a folded item, one for each of its transactions in order: the first and how many have it, then
 * for each run of equal ones how far it is above the first (or below it) and how many have it.
 */
export function packHeights(heights: readonly number[]): string {
  const [first = 0] = heights
  const runs: number[] = []
  heights.forEach((height, index) => {
    if (index > 0 && height === heights[index - 1]) runs.push((runs.pop() ?? 0) + 1)
    else runs.push(index === 0 ? height : height - first, 1)
  })
  return runs.join()
}

/** The heights of {@link packHeights}, from index `from` up to, and without, `end`. */
export function unpackHeights(packed: string, from = 0, end = Number.POSITIVE_INFINITY): number[] {
  const runs = packed === '' ? [] : packed.split(',').map(Number)
  const [first = 0] = runs
  const heights: number[] = []
  let index = 0
  for (let at = 0; at < runs.length && index < end; at += 2) {
    const height = at === 0 ? first : first + (runs[at] ?? 0)
    const stop = Math.min(end, index + (runs[at + 1] ?? 0))
    for (let next = Math.max(from, index); next < stop; next++) heights.push(height)
    index += runs[at + 1] ?? 0
  }
  return heights
}
