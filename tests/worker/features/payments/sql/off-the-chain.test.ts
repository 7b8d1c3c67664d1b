import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  MEMPOOL_EXPIRY_MS,
  selectUnminedCredited,
  unmineOutputsAboveStatements,
  writeOffOutputStatements,
} from '../../../../../worker/features/payments/sql/outputs.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, read } from '../../../rows.ts'
import { clearTables } from './clear-tables.ts'

const { DB } = env

beforeEach(async () => {
  await clearTables()
  await add('addresses', { address: 'a' }, { address: 'b', user_id: 'bob' }, { address: 'a', blockchain: 'Dogecoin' })
})

describe('a credited output that left the chain', () => {
  it('is listed with whom it was credited to, each once, page by page', async () => {
    const credited = { credited: 1, gone_at: 7 }
    await add(
      'outputs',
      { ...credited, address: 'b', txid: 'p' },
      { ...credited, address: 'a', txid: 'q', vout: 1 },
      { ...credited, address: 'a', txid: 'q' },
      { ...credited, address: 'a', txid: 'z' },
    )
    await add(
      'outputs',
      { ...credited, address: 'a', txid: 'mined', block_height: 1 },
      { address: 'a', txid: 'open' },
      { ...credited, address: 'a', txid: 'q', blockchain: 'Dogecoin' },
    )
    const listed: string[] = []
    let after: { address: string; txid: string; vout: number } | undefined
    for (let page = 0; page < 9; page++) {
      const [one] = await selectUnminedCredited(DB, 'Bitcoin', 1, after)
      if (!one) break
      listed.push(`${one.userId} ${one.txid} ${one.vout} ${one.goneAt}`)
      after = one
    }
    expect(listed).toEqual(['ada q 0 7', 'ada q 1 7', 'ada z 0 7', 'bob p 0 7'])
    expect(await selectUnminedCredited(DB, 'Bitcoin', 9)).toHaveLength(4)
  })

  it('is written off once, alone, and only while it is in no block', async () => {
    const point = { address: 'a', txid: 't' }
    await add(
      'outputs',
      { ...point, credited: 1 },
      { ...point, vout: 1, credited: 1 },
      { ...point, blockchain: 'Dogecoin', credited: 1 },
      { ...point, vout: 2, credited: 1, block_height: 1 },
      { ...point, vout: 3 },
      { ...point, txid: 'u', credited: 1 },
    )
    const writeOff = async (vout: number) =>
      await batchIf(DB, writeOffOutputStatements(DB, 'Bitcoin', { txid: 't', vout }))
    expect([await writeOff(0), await writeOff(0), await writeOff(2), await writeOff(3)]).toEqual([
      ...[true, false, false, false],
    ])
    const what = "credited || ' ' || dropped || ' ' || written_off"
    expect(await read('outputs', "blockchain || ' ' || txid || vout", what)).toEqual({
      ...{ 'Bitcoin t0': '0 1 1', 'Bitcoin t1': '1 0 0', 'Bitcoin t2': '1 0 0', 'Bitcoin t3': '0 0 0' },
      ...{ 'Bitcoin u0': '1 0 0', 'Dogecoin t0': '1 0 0' },
    })
  })
})

it('blocks that leave the chain have what they replaced looked up again, for two weeks after it was last seen', async () => {
  const NOW = 2 * MEMPOOL_EXPIRY_MS
  const dropped = { address: 'a', dropped: 1, gone_at: NOW - MEMPOOL_EXPIRY_MS }
  await add(
    'outputs',
    { ...dropped, txid: 'replaced' },
    { ...dropped, txid: 'old', gone_at: NOW - MEMPOOL_EXPIRY_MS - 1 },
    { ...dropped, txid: 'mined', block_height: 5 },
    { ...dropped, txid: 'replaced', blockchain: 'Dogecoin' },
    { address: 'a', txid: 'above', block_height: 6, block_hash: 'b' },
    { address: 'a', txid: 'above', block_height: 6, block_hash: 'b', blockchain: 'Dogecoin' },
  )
  await DB.batch(unmineOutputsAboveStatements(DB, 'Bitcoin', 5, NOW))
  expect(await read('outputs', "blockchain || ' ' || txid", "dropped || ' ' || IFNULL(block_height, '-')")).toEqual({
    ...{ 'Bitcoin above': '0 -', 'Bitcoin mined': '1 5', 'Bitcoin old': '1 -', 'Bitcoin replaced': '0 -' },
    ...{ 'Dogecoin above': '0 6', 'Dogecoin replaced': '1 -' },
  })
})
