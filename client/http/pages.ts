/** A page of a list, and the cursor behind it. */
export interface Page<Entry> {
  entries: Entry[]
  cursor: string | undefined
}

/**
 * A list of the service: `for await` iterates over its entries, `.pages()` over its pages. Pages are requested on
 * demand.
 */
export interface List<Entry> extends AsyncIterable<Entry> {
  pages(): AsyncIterable<Entry[]>
}

/** A list that requests its pages one after another. */
export function listOf<Entry>(readPage: (cursor: string | undefined) => Promise<Page<Entry>>): List<Entry> {
  async function* pages(): AsyncGenerator<Entry[]> {
    let cursor: string | undefined
    do {
      const page = await readPage(cursor)
      yield page.entries
      cursor = page.cursor
    } while (cursor !== undefined)
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page
    },
  }
}
