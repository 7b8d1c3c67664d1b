import type { Client } from '../../client/create-client.ts'
import { Fields, readString } from '../../client/http/parse-json.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { ContentName } from './parse-name.ts'

/** What an item is, according to the service. */
export interface NamedSource {
  content: Exclude<ContentName, { kind: 'item' }>
  blockchain: string
  filename: string | undefined
}

const MAX_SHOWN = 5

/**
 * Asks the service for the txids or CID of an item, and prints them. The name is trusted, the bytes are verified
 * against it.
 * @throws {CommandError} 8 while the item is not stored
 */
export async function resolveItem({ output, signal }: Context, client: Client, id: string): Promise<NamedSource> {
  const { body } = await client.request({ method: 'GET', path: `/v0/item/${id}/source`, auth: false, signal })
  const source = new Fields(body, 'The source')
  const blockchain = source.string('blockchain')
  const filename = source.optionalString('name')
  const cid = source.optionalString('cid')
  const txids = source.optionalList('txids', readString)
  // A website on a chain has both; its transactions can be read without a gateway.
  if (cid !== undefined && (blockchain === 'IPFS' || txids === undefined)) {
    output.note(`The service named this CID for ${id}; the bytes are verified against it:\n  ${cid}`)
    return { content: { kind: 'ipfs', cid }, blockchain, filename }
  }
  if (txids === undefined || txids.length === 0) {
    throw new CommandError(EXIT.pending, 'not_stored', `The service names neither txids nor a CID for ${id} yet.`)
  }
  output.note(`The service named these txids of ${blockchain} for ${id}; the bytes are verified against them:`)
  for (const txid of txids.slice(0, MAX_SHOWN)) output.note(`  ${txid}`)
  if (txids.length > MAX_SHOWN) output.note(`  and ${txids.length - MAX_SHOWN} more`)
  return { content: { kind: 'txids', txids, path: '' }, blockchain, filename }
}
