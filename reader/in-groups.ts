/** Entries in groups of at most `most`, in order. */
export function inGroups<Entry>(entries: readonly Entry[], most: number): Entry[][] {
  const groups: Entry[][] = []
  for (let start = 0; start < entries.length; start += most) groups.push(entries.slice(start, start + most))
  return groups
}
