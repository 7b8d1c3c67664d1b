import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { CODEC } from '../../../../protocol/cid.ts'

/** Content of few blocks that means a great deal of work to whoever reads it naively. */

/** Where the blocks go. */
export interface Bombs {
  putBlock(code: number, bytes: Uint8Array): Promise<CID>
}

/** A sharded directory of `levels` levels, all links of each leading to the same child, and no entry. */
export async function shardBomb(dag: Bombs, levels: number, fanout = 256): Promise<CID> {
  const Data = new UnixFS({ type: 'hamt-sharded-directory', fanout: BigInt(fanout), hashType: 0x22n }).marshal()
  let child = await dag.putBlock(CODEC.dagPb, dagPb.encode({ Data, Links: [] }))
  for (let level = 0; level < levels; level++) {
    const Links = Array.from({ length: fanout }, (_, bucket) => ({
      Name: bucket.toString(16).toUpperCase().padStart(2, '0'),
      Hash: child,
      Tsize: 1,
    }))
    child = await dag.putBlock(CODEC.dagPb, dagPb.encode({ Data, Links }))
  }
  return child
}

/** A file of `leaf`, repeated `links` times at each of `levels` levels. */
export async function fileBomb(dag: Bombs, leaf: Uint8Array, levels: number, links: number): Promise<CID> {
  let child = await dag.putBlock(CODEC.raw, leaf)
  let size = leaf.byteLength
  for (let level = 0; level < levels; level++) {
    const node = new UnixFS({ type: 'file', blockSizes: Array.from({ length: links }, () => BigInt(size)) })
    const Links = Array.from({ length: links }, () => ({ Name: '', Hash: child, Tsize: 1 }))
    child = await dag.putBlock(CODEC.dagPb, dagPb.encode({ Data: node.marshal(), Links }))
    size *= links
  }
  return child
}

/** Directories of `links` names for the same child, `levels` deep, with an empty file at the end of each path. */
export async function treeBomb(dag: Bombs, levels: number, links: number): Promise<CID> {
  const Data = new UnixFS({ type: 'directory' }).marshal()
  let child = await dag.putBlock(CODEC.raw, new Uint8Array(0))
  for (let level = 0; level < levels; level++) {
    const Links = Array.from({ length: links }, (_, index) => ({
      Name: `f${String(index).padStart(5, '0')}`,
      Hash: child,
      Tsize: 1,
    }))
    child = await dag.putBlock(CODEC.dagPb, dagPb.encode({ Data, Links }))
  }
  return child
}

/** A directory of `links` names for one empty identity CID: as many as go into a block, none of which is stored. */
export async function inlineLinksBomb(dag: Bombs, links: number): Promise<CID> {
  const Data = new UnixFS({ type: 'directory' }).marshal()
  const Links = Array.from({ length: links }, () => ({ Name: '', Hash: CID.parse('bafkqaaa'), Tsize: 1 }))
  return dag.putBlock(CODEC.dagPb, dagPb.encode({ Data, Links }))
}

/** A sharded directory of `shards` shards, each full of names that grow tenfold where they are written in HTML. */
export async function namesBomb(dag: Bombs, shards: number, length: number, perShard = 240): Promise<CID> {
  const Data = new UnixFS({ type: 'hamt-sharded-directory', fanout: 256n, hashType: 0x22n }).marshal()
  const Hash = await dag.putBlock(CODEC.raw, new Uint8Array(0))
  const prefixOf = (index: number) => index.toString(16).toUpperCase().padStart(2, '0')
  const Links = []
  for (let shard = 0; shard < shards; shard++) {
    const names = Array.from({ length: perShard }, (_, index) => {
      const Name = `${prefixOf(index)}${'"'.repeat(length)}${shard}`
      return { Name, Hash, Tsize: 1 }
    })
    const child = await dag.putBlock(CODEC.dagPb, dagPb.encode({ Data, Links: names }))
    Links.push({ Name: prefixOf(shard), Hash: child, Tsize: 1 })
  }
  return dag.putBlock(CODEC.dagPb, dagPb.encode({ Data, Links }))
}

/** A file that says how long a million parts are, of which it has none. */
export async function lengthsBomb(dag: Bombs): Promise<CID> {
  const lengths = new Uint8Array(2_000_000)
  // Field 4 of UnixFS, a varint, as often as it goes in.
  for (let at = 0; at < lengths.byteLength; at += 2) lengths.set([0x20, 1], at)
  const Data = new Uint8Array([...new UnixFS({ type: 'file' }).marshal(), ...lengths])
  return dag.putBlock(CODEC.dagPb, dagPb.encode({ Data, Links: [] }))
}
