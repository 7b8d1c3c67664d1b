import { env } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { fetchList } from '../../../../worker/content/chain/fetch-list.ts'
import type { ContentRequest } from '../../../../worker/content/chain/parse-request.ts'
import { type MemoryUse, memoryOf } from '../../../../worker/platform/flow/memory-budget.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'

const nodes = useScriptedNodes()
const node = nodes['dogecoin.test']

/** Nothing is kept. */
const packed = { find: async () => [], forget: async () => {}, async *read() {} }

/** Transactions of 60,000 bytes on a chain whose usual ones have 80 bytes. */
function fatList(count: number): ContentRequest {
  const txids = Array.from({ length: count }, () => {
    const data = crypto.getRandomValues(new Uint8Array(60_000))
    return store([node], data, data.length)
  })
  return { blockchain: 'Dogecoin', txids: txids.flat() }
}

const fetch = (request: ContentRequest, take = memoryOf(undefined), most = '') =>
  fetchList({ env: { ...env, MAX_CONTENT_BYTES: most }, packed, take }, request, [])

describe('a list whose transactions are far larger than the chain’s usual ones', () => {
  it('is read in batches that become smaller, so that no answer is more than some MB', async () => {
    const request = fatList(60)
    const fetched = await fetch(request)
    expect(fetched !== 'not_found' && fetched.content.length).toBe(60)
    const sizes = node.requests.map((batch) => batch.length)
    expect(sizes[0]).toBe(60)
    expect(Math.max(...sizes.slice(-3))).toBeLessThanOrEqual(17)
  })

  it('waits when it has become large, with only what was under way then in memory', async () => {
    const first = Promise.withResolvers<void>()
    const own = memoryOf(undefined)
    const take = vi.fn(async (use: MemoryUse, bytes: number) => {
      await first.promise
      return await own(use, bytes)
    })
    let done = false
    const fetching = fetch(fatList(125), take).finally(() => {
      done = true
    })
    await vi.waitUntil(() => take.mock.calls.length > 0, { timeout: 60_000 })
    await scheduler.wait(200)
    // Larger batches were given up half-way.
    const sent = new Set(node.requests.filter((batch) => batch.length <= 17).flat()).size
    expect([done, sent <= 35 + 5 * 16]).toEqual([false, true])
    first.resolve()
    expect(await fetching).not.toBe('not_found')
  })

  it('R26: is refused as soon as it is too much, whatever its transactions carry', async () => {
    await expect(fetch(fatList(40), undefined, '1000000')).rejects.toMatchObject({ code: 'content_too_large' })
    expect(node.requests.at(-1)?.length).toBeLessThan(40)
  })
})

describe('a list of any order and repetition', () => {
  it('is what its transactions hold in that order, each fetched once', async () => {
    const [a = '', b = ''] = store([node], Uint8Array.of(1, 2), 1)
    const fetched = await fetch({ blockchain: 'Dogecoin', txids: [b, a, b, b] })
    expect(fetched !== 'not_found' && fetched.content.map(toHex)).toEqual(['02', '01', '02', '02'])
    expect(node.requests.flat().sort()).toEqual([a, b].sort())
  })

  it('R26: is refused when repetition makes it too much', async () => {
    const [txid = ''] = fatList(1).txids
    const txids = new Array(300).fill(txid)
    await expect(fetch({ blockchain: 'Dogecoin', txids })).rejects.toMatchObject({ code: 'content_too_large' })
  })
})
