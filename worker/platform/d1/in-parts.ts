/** The most rows in one JSON value: with the longest (an output, some 300 bytes) it is far below D1's 2 MB a value. */
const ROWS_PER_VALUE = 2_000

/** The list in parts of at most `size`; no part for an empty list. */
export function inParts<T>(list: readonly T[], size = ROWS_PER_VALUE): T[][] {
  const parts: T[][] = []
  for (let start = 0; start < list.length; start += size) parts.push(list.slice(start, start + size))
  return parts
}
