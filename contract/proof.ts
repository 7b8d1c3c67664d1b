import { Txid } from './fields.ts'
import { count, list, object, text } from './schema.ts'

const Hash = text('As displayed.', { pattern: '^[0-9a-f]{64}$' })
const Header = text('In hex: 80 bytes, on Dogecoin with the AuxPoW that follows them.', {
  pattern: '^([0-9a-f]{2}){80,}$',
})

const ProvenTransaction = object({
  txid: Txid,
  position: count('Its index in the block.'),
  branch: list(Hash, 'The hashes beside its path to the root of the block, from the transaction up.'),
})

/** That blocks have transactions, for readers to check (docs/formats.md). */
export const Proof = object({
  blocks: list(
    object({
      height: count('Of the block, as the node says.'),
      hash: Hash,
      header: Header,
      transactions: list(ProvenTransaction),
      following: list(Header, 'The headers after it.'),
    }),
  ),
})
