import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { type BlockBroker, createHeliaLight, type Helia } from 'helia'
import * as json from 'multiformats/codecs/json'
import { from } from 'multiformats/hashes/hasher'
import type { BlockHashes } from '../../reader/ipfs/block-hashes.ts'
import type { CachedBlocks } from './block-store.ts'
import { type AskForPath, fetchBlock, readingOf } from './reading.ts'

/**
 * The helper's own Helia: its blocks are kept by `blockstore`, and come from the sources by one broker, since Helia races
 * several. It has neither libp2p nor routers: nobody else is asked.
 */
export function startHelia(blockstore: CachedBlocks, hashes: BlockHashes, ask: AskForPath): Promise<Helia> {
  const broker: BlockBroker = {
    name: 'hookline',
    // A fill has told what it reads; who else reads asks for one block.
    retrieve: (cid, options) => readingOf(options)?.get(cid) ?? fetchBlock(ask, hashes, cid),
    createSession: () => ({ ...broker, addPeer: async () => {} }),
  }
  return createHeliaLight({
    blockstore,
    // The usual SHA-256 asks crypto.subtle, which pages by plain http don't have.
    hashers: [...hashes].map(([code, encode]) =>
      from({ name: `${code}`, code, encode: async (bytes) => new Uint8Array(await encode(bytes)) }),
    ),
    // Those that unixfs brings anyway.
    codecs: [dagCbor, dagJson, json],
    blockBrokers: [broker],
  }).start()
}
