import type { ContentRequest } from './parse-request.ts'

/** The fixed number of fetchers: starting one needs longer than most fetches. */
export const FETCHERS = 16

/** The fetcher that knows in which pack this transaction is, and that fetches a list of only this one. */
export function fetcherOfTxid(txid: string): string {
  return String(Number.parseInt(txid.slice(-2), 16) % FETCHERS)
}

/** The one fetcher that fetches this list, whose name `list` is. */
export function fetcherName({ txids }: ContentRequest, list: string): string {
  const [lone = ''] = txids
  return fetcherOfTxid(txids.length === 1 ? lone : list)
}
