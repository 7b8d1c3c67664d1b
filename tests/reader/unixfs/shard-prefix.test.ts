import { murmur364 } from '@multiformats/murmur3'
import { describe, expect, it } from 'vitest'
import { shardPrefixes, shardPrefixLength } from '../../../reader/unixfs/shard-prefix.ts'

describe('the way to a name in a sharded directory', () => {
  it('is the hash of the name in hex, two digits a level, at 256 links a shard', async () => {
    const hash = Buffer.from(await murmur364.encode(new TextEncoder().encode('cat.png')))
    expect((await shardPrefixes('cat.png', 256)).join('')).toBe(hash.toString('hex').toUpperCase())
  })

  it.each([
    [8, 21, 1],
    [16, 16, 1],
    [32, 12, 2],
    [256, 8, 2],
    [1024, 6, 3],
  ])('has, at %i links a shard, %i levels of %i digits', async (fanout, levels, digits) => {
    const prefixes = await shardPrefixes('cat.png', fanout)
    expect(prefixes).toHaveLength(levels)
    expect(shardPrefixLength(fanout)).toBe(digits)
    for (const prefix of prefixes) {
      expect(prefix).toMatch(new RegExp(`^[0-9A-F]{${digits}}$`))
      expect(Number.parseInt(prefix, 16)).toBeLessThan(fanout)
    }
  })
})
