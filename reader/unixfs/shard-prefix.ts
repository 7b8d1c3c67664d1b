import { murmur364 } from '@multiformats/murmur3'
import { toHex } from '../../protocol/bytes.ts'

/** Bits of the hash of a name that lead to its place. */
export const HASH_BITS = 64

/** How many hex digits the name of each link of a shard begins with. */
export function shardPrefixLength(fanout: number): number {
  return (fanout - 1).toString(16).length
}

/**
 * What the link that leads to `name` begins with in a HAMT directory, level by level (UnixFS specification,
 * `HAMTDirectory`: the first 64 bits of murmur3-x64-128 of the name, log2(fanout) bits a level, most significant first).
 */
export async function shardPrefixes(name: string, fanout: number): Promise<string[]> {
  const bits = Math.log2(fanout)
  const hash = BigInt(`0x${toHex(await murmur364.encode(new TextEncoder().encode(name)))}`)
  return Array.from({ length: Math.floor(HASH_BITS / bits) }, (_, level) => {
    const bucket = Number((hash >> BigInt(HASH_BITS - bits * (level + 1))) & BigInt(fanout - 1))
    return bucket.toString(16).toUpperCase().padStart(shardPrefixLength(fanout), '0')
  })
}
