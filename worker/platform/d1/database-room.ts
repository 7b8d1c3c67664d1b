/** Shares of the database above which no new items are accepted: from accounts that never paid, and from all. */
export const REFUSED_FROM = { neverPaid: 0.8, all: 0.95 } as const

/** How full a database is: `filling` rejects new items of accounts that never paid, `full` all new items. */
export type DatabaseState = 'ok' | 'filling' | 'full'

/** The state of a database of so many bytes with this limit. Pure. */
export function databaseState(bytes: number, limit: number): DatabaseState {
  if (bytes >= REFUSED_FROM.all * limit) return 'full'
  return bytes >= REFUSED_FROM.neverPaid * limit ? 'filling' : 'ok'
}
