/** Sources that are asked for one body: the API host and eight more. */
const MOST = 9

/**
 * The order in which sources are asked: as they are named, each once; behind them all those that have sent what is
 * false, the latest of them last.
 */
export function orderSources(named: readonly string[], liars: readonly string[]): string[] {
  const sources = [...new Set(named)].slice(0, MOST)
  return [...sources.filter((source) => !liars.includes(source)), ...liars.filter((liar) => sources.includes(liar))]
}

/** Those that have sent what is false, with one more, who has done so now. */
export function addLiar(liars: readonly string[], source: string): string[] {
  return [...liars.filter((liar) => liar !== source), source]
}
