import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { objectId } from '../../../../protocol/object-id.ts'
import { putRecord, RECORD_PREFIX } from '../../../../worker/content/chain/bucket-records.ts'
import { PACK_PREFIX } from '../../../../worker/content/chain/packs.ts'
import { sweepChainCache } from '../../../../worker/content/chain/sweep-chain-cache.ts'

const MINUTE = 60_000
const DAY = 86_400_000

/** A run for each fetcher. */
async function sweepAll(from: number): Promise<void> {
  for (let run = 0; run < 16; run++) await sweepChainCache(env, from + run * MINUTE)
}

describe('what was kept of chains', () => {
  it('is removed when it is past its age, the index before what it points to', async () => {
    const list = `Bitcoin/${'b'.repeat(64)}`
    await putRecord(env.BUCKET, list, [Uint8Array.of(1)], { encoding: 'identity' })
    const pack = objectId(Date.now())
    const key = `${PACK_PREFIX}Bitcoin/${pack}`
    await env.BUCKET.put(key, 'transactions')
    const fetcher = env.CONTENT_FETCHER.getByName('3')
    const txid = 'c'.repeat(64)
    await fetcher.addPlaces('Bitcoin', [{ txid, pack, offset: 0, length: 12 }])
    const there = async () => [
      (await env.BUCKET.head(RECORD_PREFIX + list)) !== null,
      (await fetcher.findPlaces('Bitcoin', [txid])).length > 0,
      (await env.BUCKET.head(key)) !== null,
    ]
    await sweepAll(Date.now() + 29 * DAY)
    expect(await there()).toEqual([true, true, true])
    await sweepAll(Date.now() + 30 * DAY + 2 * MINUTE)
    expect(await there()).toEqual([false, false, true])
    await sweepAll(Date.now() + 31 * DAY + 2 * MINUTE)
    expect(await there()).toEqual([false, false, false])
  })
})
