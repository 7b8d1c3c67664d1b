import { useState } from 'preact/hooks'

/** A page of a list; the last one has no cursor. */
export interface ListPage<Row> {
  rows: readonly Row[]
  cursor: string | undefined
}

/** The query for the page after a cursor, or for the first page. */
export function atCursor(cursor: string | undefined): { cursor?: string } {
  return cursor === undefined ? {} : { cursor }
}

/**
 * A list: `first` is its first page, and `readNext` reads the page after a cursor. Returns all rows read so far, each
 * once; a function that reads more, `undefined` at the end; and one that forgets all but the first page. `keyOf`
 * identifies a row.
 */
export function usePages<Row>(
  first: ListPage<Row> | undefined,
  readNext: (cursor: string) => Promise<ListPage<Row>>,
  keyOf: (row: Row) => string | number,
): { rows: readonly Row[]; more: (() => Promise<void>) | undefined; restart(): void } {
  const [later, setLater] = useState<ListPage<Row>>()
  // A newer first page overrides the rows of later pages.
  const list = new Map<string | number, Row>()
  for (const row of [...(first?.rows ?? []), ...(later?.rows ?? [])]) {
    if (!list.has(keyOf(row))) list.set(keyOf(row), row)
  }
  const rows = [...list.values()]
  const cursor = later ? later.cursor : first?.cursor
  const more = async (from: string) => {
    const next = await readNext(from)
    // Includes the rows of the first page, since newer rows may have moved its last ones out.
    setLater({ rows: [...rows, ...next.rows], cursor: next.cursor })
  }
  return { rows, more: cursor === undefined ? undefined : () => more(cursor), restart: () => setLater(undefined) }
}
