/** Shares of the database from which no new items are taken: of who never paid, and of all. */
export const REFUSED_FROM = { neverPaid: 0.8, all: 0.95 } as const

/** How full a database of so many bytes is: `filling` from where new items of some are refused on, `full` from where all are. */
export type DatabaseState = 'ok' | 'filling' | 'full'

/** How full a database is. Pure. */
export function databaseState(bytes: number, limit: number): DatabaseState {
  if (bytes >= REFUSED_FROM.all * limit) return 'full'
  return bytes >= REFUSED_FROM.neverPaid * limit ? 'filling' : 'ok'
}
