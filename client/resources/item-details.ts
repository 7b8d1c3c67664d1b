import { readerOf } from '../answers/read-answer.ts'
import { readSource } from '../answers/read-answers.ts'
import { type List, listOf } from '../http/pages.ts'
import { pathTo } from '../http/path-to.ts'
import type { Transport } from '../http/transport.ts'
import type { ContentSource, ItemTransaction } from '../types.ts'
import type { CallOptions } from './call-options.ts'

/** What the service says of one item beside its state. */
export function itemDetailsOf(transport: Transport) {
  return {
    transactions: (id: string, { signal }: CallOptions = {}): List<ItemTransaction> =>
      listOf(async (cursor) => {
        const path = pathTo`/v0/item/${id}/transactions`
        const answer = await transport.fields({ method: 'GET', path, query: { cursor }, signal })
        return {
          entries: answer.list('transactions', readerOf('ItemTransaction')),
          cursor: answer.optionalString('cursor'),
        }
      }),

    /** The receipt of a stored item, as the service answers it. */
    async receipt(id: string, { signal }: CallOptions = {}): Promise<unknown> {
      return (await transport.send({ method: 'GET', path: pathTo`/v0/item/${id}/receipt`, signal })).body
    },

    /** Faults of `_headers` and `_redirects`, as the service answers them. */
    async problems(id: string, { signal }: CallOptions = {}): Promise<unknown> {
      return (await transport.send({ method: 'GET', path: pathTo`/v0/item/${id}/problems`, signal })).body
    },

    /** The txids or CID of a stored item, as the service names them. */
    async source(id: string, { signal }: CallOptions = {}): Promise<ContentSource> {
      return readSource((await transport.send({ method: 'GET', path: pathTo`/v0/item/${id}/source`, signal })).body)
    },
  }
}
