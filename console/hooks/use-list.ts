import { useState } from 'preact/hooks'
import { type Loaded, useLoad } from './use-load.ts'

/** The query for the page after a cursor, or for the first page. */
export function atCursor(cursor: string | undefined): { cursor?: string } {
  return cursor === undefined ? {} : { cursor }
}

/** A list of the API: its first page, and what was read after it. */
interface LoadedList<Page, Row> extends Loaded<Page> {
  /** All rows read so far, each once. */
  rows: readonly Row[]
  /** Reads more; `undefined` at the end. */
  more: (() => Promise<void>) | undefined
  /** Forgets all but the first page, and loads that again. */
  restart(): void
}

/**
 * A list that `read` reads page by page, the last of which has no cursor: the rows are in the field `name` of a page and
 * identified by their field `key`. It is loaded as by {@link useLoad}, and from its first page when `keys` change.
 */
export function useList<
  Name extends string,
  Key extends string,
  Page extends Record<Name, readonly Record<Key, string | number>[]> & { cursor?: string | undefined },
>(
  read: (cursor?: string) => Promise<Page>,
  name: Name,
  key: Key,
  keys: readonly unknown[],
  follow: readonly string[] = [],
): LoadedList<Page, Page[Name][number]> {
  const first = useLoad(() => read(), keys, follow)
  const of = JSON.stringify(keys)
  const [kept, setKept] = useState<{ of: string; rows: Page[Name][number][]; cursor: string | undefined }>()
  const later = kept?.of === of ? kept : undefined
  // A newer first page overrides the rows of later pages.
  const list = new Map<string | number, Page[Name][number]>()
  for (const row of [...(first.data?.[name] ?? []), ...(later?.rows ?? [])]) {
    if (!list.has(row[key])) list.set(row[key], row)
  }
  const rows = [...list.values()]
  const cursor = later ? later.cursor : first.data?.cursor
  const more = async (from: string) => {
    const next = await read(from)
    // Includes the rows of the first page, since newer rows may have moved its last ones out.
    setKept({ of, rows: [...rows, ...next[name]], cursor: next.cursor })
  }
  const restart = () => {
    setKept(undefined)
    first.reload()
  }
  return { ...first, rows, more: cursor === undefined ? undefined : () => more(cursor), restart }
}
