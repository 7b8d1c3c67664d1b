import type { ApiRequest, Transport } from './transport.ts'

/**
 * A list of the service: `for await` iterates over its entries, `.pages()` over its pages. Pages are requested on
 * demand.
 */
export interface List<Entry> extends AsyncIterable<Entry> {
  pages(): AsyncIterable<Entry[]>
}

/**
 * A list that requests its pages one after another. `request` is called for each page; `name` is the field of the
 * entries.
 * @internal
 */
export function listOf<Entry>(
  transport: Transport,
  request: () => Pick<ApiRequest, 'path' | 'query' | 'signal'>,
  name: string,
  read: (entry: unknown) => Entry,
): List<Entry> {
  async function* pages(): AsyncGenerator<Entry[]> {
    let cursor: string | undefined
    do {
      const { path, query, signal } = request()
      const page = await transport.fields({ method: 'GET', path, query: { ...query, cursor }, signal })
      yield page.list(name, read)
      cursor = page.optionalString('cursor')
    } while (cursor !== undefined)
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page
    },
  }
}
