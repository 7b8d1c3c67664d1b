import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { type BlockBroker, createHeliaLight, type Helia } from 'helia'
import * as json from 'multiformats/codecs/json'
import { from } from 'multiformats/hashes/hasher'
import type { BlockHashes } from '../../reader/ipfs/block-hashes.ts'
import type { CachedBlocks } from './block-store.ts'
import { type AskForPath, fetchBlock, readingOf } from './reading.ts'

/**
 * The helper's own Helia. Its blocks are stored in `blockstore`. It has one block broker that asks the sources, since
 * Helia runs several in parallel, and neither libp2p nor routers: no other host is contacted.
 */
export function startHelia(blockstore: CachedBlocks, hashes: BlockHashes, ask: AskForPath): Promise<Helia> {
  const broker: BlockBroker = {
    name: 'hookline',
    // A fill registers what it reads; any other reader receives single blocks.
    retrieve: (cid, options) => readingOf(options)?.get(cid) ?? fetchBlock(ask, hashes, cid),
    createSession: () => ({ ...broker, addPeer: async () => {} }),
  }
  return createHeliaLight({
    blockstore,
    // The default SHA-256 uses crypto.subtle, which pages over plain http don't have.
    hashers: [...hashes].map(([code, encode]) =>
      from({ name: `${code}`, code, encode: async (bytes) => new Uint8Array(await encode(bytes)) }),
    ),
    // Only the codecs that unixfs includes anyway.
    codecs: [dagCbor, dagJson, json],
    blockBrokers: [broker],
  }).start()
}
