/** File names of a website's first page, and of that of each folder in it, those before others first. */
const INDEX_NAMES = ['index.html', 'index.htm', 'default.html', 'default.htm']

/**
 * Which of the names in a folder is its first page: `index.html`, else `index.htm`, `default.html`, `default.htm`. Each may
 * be written with capital letters; the name without any is before those, and of those the first by code units. `undefined`
 * without one. Pure.
 */
export function findIndexName(names: Iterable<string>): string | undefined {
  let found: { name: string; rank: number } | undefined
  for (const name of names) {
    const rank = rankOf(name)
    if (rank === undefined) continue
    if (found === undefined || rank < found.rank || (rank === found.rank && name < found.name)) found = { name, rank }
  }
  return found?.name
}

function rankOf(name: string): number | undefined {
  const lower = name.length <= 12 ? name.toLowerCase() : ''
  const place = INDEX_NAMES.indexOf(lower)
  return place < 0 ? undefined : 2 * place + (name === lower ? 0 : 1)
}
