import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { selectFolded } from '../../../../../worker/features/items/sql/folded.ts'
import { add } from '../../../rows.ts'

it('transactions that are folded are those of the item that is asked for', async () => {
  await add('items', { id: 'first' }, { id: 'second' })
  for (const [id, byte] of [
    ['first', 'a1'],
    ['second', 'b2'],
  ]) {
    await env.DB.prepare('INSERT INTO item_txids (item_id, txids, packed, heights) VALUES (?, ?, unhex(?), ?)')
      .bind(id, '', byte?.repeat(32), '7,1')
      .run()
  }
  const found = await selectFolded(env.DB, 'second', 0, 9)
  expect(found?.map(({ txid }) => txid)).toEqual(['b2'.repeat(32)])
})
