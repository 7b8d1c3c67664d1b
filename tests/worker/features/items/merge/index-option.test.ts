import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { decideIndex } from '../../../../../worker/features/items/merge/index-option.ts'
import { readConfig } from '../../../../../worker/platform/config/read-config.ts'

const given = readConfig(env)
/** The settings of a service that puts so many bytes into each transaction. */
const holding = (maxDataBytes: number) => {
  const { Nativecoin, Dogecoin } = given.chains
  return {
    chains: {
      ...given.chains,
      Nativecoin: { ...Nativecoin, maxDataBytes },
      Dogecoin: { ...Dogecoin, maxDataBytes },
    },
  }
}
const content = { type: 'text/html', size: 9_999_999 }

describe('the index that merged content is to have', () => {
  it('is what was asked for, else that of its chain: on Nativecoin one, elsewhere none', () => {
    const merged = { ...content, storedSize: 100_000 }
    const settled = (chain: 'Nativecoin' | 'Dogecoin') =>
      [null, true, false].map((wanted) => decideIndex(chain, wanted, merged, holding(8_192)))
    expect(settled('Nativecoin')).toEqual([true, true, false])
    expect(settled('Dogecoin')).toEqual([false, true, false])
  })

  it('is none where a transaction holds less than 8 KiB', () => {
    const merged = { ...content, storedSize: 100_000 }
    expect(decideIndex('Nativecoin', null, merged, holding(8_191))).toBe(false)
  })

  it('has to fit into one transaction: 238 parts of 8 KiB do', () => {
    const of = (parts: number, wanted: boolean | null) =>
      decideIndex('Nativecoin', wanted, { ...content, storedSize: parts * 8_192 }, holding(8_192))
    expect([of(238, true), of(238, null), of(239, null)]).toEqual([true, true, false])
    expect(of(239, true)).toEqual({
      code: 'index_not_offered',
      message: expect.stringContaining('The index of 239 transactions is more than one'),
    })
  })
})
