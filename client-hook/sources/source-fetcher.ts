import type { FetchAny, SourceAnswer, SourceRequest } from '../fetch-from.ts'
import type { PartTools } from '../part-tools.ts'
import { isDenied, runRace } from './run-race.ts'

/**
 * Asks the API host and the gateways of the element and of the script tag until one sends a body that its reader
 * accepts.
 */
export function createSourceFetcher(tools: PartTools): FetchAny {
  const { base, gateways } = tools
  const liars: Record<SourceRequest['kind'], string[]> = { chain: [], ipfs: [] }
  const silent = new Set<string>()

  const ask = async (request: SourceRequest, refused: readonly string[]): Promise<SourceAnswer> => {
    const { kind, signal } = request
    const order = orderSources([base, ...(request.gateways ?? []), ...gateways], liars[kind])
    const sources = order.filter((source) => !refused.includes(source))
    const requestOf = (source: string): SourceRequest => ({
      ...request,
      // The browser's cache may still contain a false body from this source.
      reload: request.reload || liars[kind].includes(source),
      // Redirects could lead to hosts that the page's author has not named.
      redirect: source === base ? 'follow' : 'error',
    })
    const { source, answer } = await runRace(tools, { sources, silent, requestOf }, request)
    return {
      chunks: answer.chunks,
      async refuse(error) {
        liars[kind] = addFaultySource(liars[kind], source)
        if (source === base) answer.refuse(error).catch(() => {})
        if (sources.length === 1) throw error
        return await ask(request, [...refused, source]).catch((other: unknown) => {
          // False data is the error to report, unless the content is denied.
          throw isDenied(other) || signal?.aborted ? other : error
        })
      },
    }
  }
  return (request) => ask(request, [])
}

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
