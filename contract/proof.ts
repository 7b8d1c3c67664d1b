import { Txid } from './fields.ts'
import { count, list, object, optional, text } from './schema.ts'

const Hash = text('As displayed.', { pattern: '^[0-9a-f]{64}$' })
const Header = text('In hex: 80 bytes, on Dogecoin with the AuxPoW that follows them.', {
  pattern: '^([0-9a-f]{2}){80,}$',
})

const ProvenTransaction = object({
  txid: Txid,
  position: count('Its index in the block.'),
  branch: list(Hash, 'The hashes beside its path to the root of the block, from the transaction up.'),
})

/** What is pinned of a chain. */
export const Checkpoint = object({
  height: count('The last block that is in it.'),
  root: Hash,
  bits: count('The median of the targets of its last 101 blocks, in their short form.'),
  time: count('Of its last block, in seconds since 1970.'),
})

/** That blocks have transactions, for readers to check (docs/formats.md). */
export const Proof = object({
  blocks: list(
    object({
      height: count('Of the block, as the node says.'),
      hash: Hash,
      header: Header,
      transactions: list(ProvenTransaction),
      checkpoint: optional(
        object({
          height: count('Of the checkpoint, which is not below the block.'),
          branch: list(
            Hash,
            'The hashes beside the block in the tree over the blocks to the checkpoint, from the block up.',
          ),
        }),
      ),
      following: optional(list(Header, 'Without a checkpoint: the headers after it.')),
    }),
  ),
})
