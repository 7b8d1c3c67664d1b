import { env } from 'cloudflare:test'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { expect, it } from 'vitest'
import { CODEC, canonicalCid } from '../../../../../protocol/cid.ts'
import { selectSiteCids } from '../../../../../worker/features/items/sql/website-cids.ts'
import { add } from '../../../rows.ts'

const CIDS = [
  'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
  'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
] as const

it('a transaction or an item stands for the websites on a chain that it is a part of, and for no others', async () => {
  const txids = ['a1'.repeat(32), 'b2'.repeat(32)] as const
  for (const [index, cid] of CIDS.entries()) {
    await add('items', { id: `site${index}`, directory_of: `folder${index}`, cid })
    await add('item_txids', { item_id: `site${index}`, txids: txids[index] ?? '' })
  }
  // One of these is on IPFS, another no directory, and the last has no CID.
  await add('items', { id: 'ipfs', directory_of: 'f', cid: CIDS[1], blockchain: 'IPFS' }, { id: 'file', cid: CIDS[1] })
  await add('items', { id: 'empty', directory_of: 'g' })
  await add('item_txids', ...['ipfs', 'file', 'empty'].map((item_id) => ({ item_id, txids: txids[0] })))
  const cidsOf = async (kind: 'txid' | 'item' | 'cid', value: string) =>
    (await selectSiteCids(env.DB, { kind, value })).map((found) => found.value)
  expect(await cidsOf('txid', txids[0])).toEqual([CIDS[0]])
  expect(await cidsOf('txid', txids[1])).toEqual([CIDS[1]])
  expect(await cidsOf('item', 'site1')).toEqual([CIDS[1]])
  expect(await cidsOf('cid', CIDS[0])).toEqual([])
})

it('a transaction stands for at most a hundred websites, among which one that has no CID does not count', async () => {
  const txid = 'c3'.repeat(32)
  const cidOf = (n: number) => canonicalCid(CID.createV1(CODEC.raw, create(0x12, new Uint8Array(32).fill(n))))
  const sites = Array.from({ length: 102 }, (_, n) => ({
    id: `many${n}`,
    directory_of: `f${n}`,
    cid: n ? cidOf(n) : null,
  }))
  await add('items', ...sites)
  await add('item_txids', ...sites.map(({ id }) => ({ item_id: id, txids: txid })))
  expect(await selectSiteCids(env.DB, { kind: 'txid', value: txid })).toHaveLength(100)
})
