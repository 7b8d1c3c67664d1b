import { readerOf } from '../answers/read-answer.ts'
import { readSource } from '../answers/read-answers.ts'
import { type List, listOf } from '../http/pages.ts'
import { pathTo } from '../http/path-to.ts'
import type { Transport } from '../http/transport.ts'
import type { ContentSource, ItemTransaction, Receipt, SiteProblems } from '../types.ts'
import type { CallOptions } from './call-options.ts'

/** Details of one item that are not part of its state. */
export function itemDetailsOf(transport: Transport) {
  return {
    /** The transactions of an item by index: `bytes` of data in each, `depth` in blocks. */
    transactions: (id: string, { signal }: CallOptions = {}): List<ItemTransaction> =>
      listOf(
        transport,
        () => ({ path: pathTo`/v0/item/${id}/transactions`, signal }),
        'transactions',
        readerOf('ItemTransaction'),
      ),

    /**
     * What was paid for a stored item, and how; amounts in coins.
     * @throws {ApiError} 404
     */
    async receipt(id: string, { signal }: CallOptions = {}): Promise<Receipt> {
      const { body } = await transport.send({ method: 'GET', path: pathTo`/v0/item/${id}/receipt`, signal })
      return readerOf('Receipt')(body)
    },

    /**
     * Faults in the `_headers` and `_redirects` of a directory, each with its line.
     * @throws {ApiError} 404
     */
    async problems(id: string, { signal }: CallOptions = {}): Promise<SiteProblems> {
      const { body } = await transport.send({ method: 'GET', path: pathTo`/v0/item/${id}/problems`, signal })
      return readerOf('SiteProblems')(body)
    },

    /** The txids or CID of a stored item, as the service names them. */
    async source(id: string, { signal }: CallOptions = {}): Promise<ContentSource> {
      return readSource((await transport.send({ method: 'GET', path: pathTo`/v0/item/${id}/source`, signal })).body)
    },
  }
}
