/** Most sources for one body: the API host and eight more. */
const MOST = 9

/** The order to ask sources in: as named, each once; those that sent false data last, the latest of them at the end. */
export function orderSources(named: readonly string[], liars: readonly string[]): string[] {
  const sources = [...new Set(named)].slice(0, MOST)
  return [...sources.filter((source) => !liars.includes(source)), ...liars.filter((liar) => sources.includes(liar))]
}

/** The sources that sent false data, with one more at the end. */
export function addFaultySource(liars: readonly string[], source: string): string[] {
  return [...liars.filter((liar) => liar !== source), source]
}
