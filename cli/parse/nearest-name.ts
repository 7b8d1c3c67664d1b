/**
 * The name that `typed` most likely means: the one with the least Damerau-Levenshtein distance (optimal string
 * alignment), at most a third of the longer one, with the same beginning; `undefined` if none is that near.
 */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  // Longer input is no typing error, and the time of the comparison grows with the product of the lengths.
  if (typed.length > 64) return undefined
  let best: { name: string; distance: number } | undefined
  for (const name of names) {
    if (!beginAlike(typed.toLowerCase(), name.toLowerCase())) continue
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase())
    const near = distance <= Math.max(1, Math.floor(Math.max(typed.length, name.length) / 3))
    if (near && (!best || distance < best.distance)) best = { name, distance }
  }
  return best?.name ?? names.find((name) => typed.length > 1 && name.startsWith(typed.toLowerCase()))
}

/**
 * Whether both begin with the same character, or with the same two swapped: litecoin is no typing error for bitcoin.
 */
function beginAlike(a: string, b: string): boolean {
  return a[0] === b[0] || (a[0] === b[1] && a[1] === b[0])
}

/** The number of insertions, deletions, replacements and swaps of neighbours between the two. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      let least = Math.min(replaced, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1)
      current.push(least)
    }
    beforeLast = last
    last = current
  }
  return last[b.length] ?? 0
}

/** "Did you mean …?" for an unknown name, or undefined. */
export function didYouMean(typed: string, names: readonly string[], prefix = ''): string | undefined {
  const name = nearestName(typed, names)
  return name === undefined ? undefined : `Did you mean ${prefix}${name}?`
}
