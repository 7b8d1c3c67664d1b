import { useState } from 'preact/hooks'

/** A page of a list; without a cursor the last. */
export interface ListPage<Row> {
  rows: readonly Row[]
  cursor: string | undefined
}

/** The query of the page behind a cursor, of the first without one. */
export function atCursor(cursor: string | undefined): { cursor?: string } {
  return cursor === undefined ? {} : { cursor }
}

/**
 * A list of which `first` is the first page and `readNext` reads the page behind a cursor: all rows read so far, each
 * once, what reads more of them, `undefined` when there are no more, and what forgets all but the first page. `keyOf`
 * names a row.
 */
export function usePages<Row>(
  first: ListPage<Row> | undefined,
  readNext: (cursor: string) => Promise<ListPage<Row>>,
  keyOf: (row: Row) => string | number,
): { rows: readonly Row[]; more: (() => Promise<void>) | undefined; restart(): void } {
  const [later, setLater] = useState<ListPage<Row>>()
  // The first page is read anew when something happened: what it says of a row wins.
  const list = new Map<string | number, Row>()
  for (const row of [...(first?.rows ?? []), ...(later?.rows ?? [])]) {
    if (!list.has(keyOf(row))) list.set(keyOf(row), row)
  }
  const rows = [...list.values()]
  const cursor = later ? later.cursor : first?.cursor
  const more = async (from: string) => {
    const next = await readNext(from)
    // With what the first page had: when it is read anew, newer rows may have taken the place of its last ones.
    setLater({ rows: [...rows, ...next.rows], cursor: next.cursor })
  }
  return { rows, more: cursor === undefined ? undefined : () => more(cursor), restart: () => setLater(undefined) }
}
