import { expect, it } from 'vitest'
import { collectDenylist, HEADER_BYTES } from '../../../../worker/content/denylist/collect-denylist.ts'
import { KeySet } from '../../../../worker/content/denylist/key-set.ts'
import { streamOf } from './stream-of.ts'

it('a denylist of 1,000,000 entries takes 8 MB, answers each, and pauses often while it is made', async () => {
  const [rounds, lines] = [100, 10_000]
  const words = new Uint32Array(8 * lines)
  let state = 1
  const samples: string[] = []
  function* parts() {
    for (let round = 0; round < rounds; round++) {
      for (let index = 0; index < words.length; index++) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        words[index] = state ^ (state >>> 13)
      }
      const hex = Buffer.from(words.buffer).toString('hex')
      samples.push(hex.slice(64, 128))
      yield new TextEncoder().encode(hex.replace(/.{64}/g, '//$&\n'))
    }
  }
  let pauses = 0
  const pause = async () => void pauses++
  const collected = await collectDenylist(streamOf(parts()), pause)
  expect(collected.bytes.length).toBe(8 + 8 * collected.entries)
  expect(collected.entries).toBeGreaterThan(999_990)
  expect(pauses).toBe(1_000)
  const keys = new KeySet(new BigUint64Array(collected.bytes.buffer, HEADER_BYTES, collected.entries))
  expect(samples.filter((hex) => !keys.has(BigInt(`0x${hex.slice(0, 16)}`)))).toEqual([])
  expect(keys.has(0x0101010101010101n)).toBe(false)
})
