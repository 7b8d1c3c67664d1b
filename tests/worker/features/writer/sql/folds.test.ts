import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { selectComparedHeight } from '../../../../../worker/features/writer/sql/folds.ts'
import { add } from '../../../rows.ts'

it('transactions are folded up to the block to which the wallet of their own chain was compared', async () => {
  await add(
    'send_scans',
    { blockchain: 'Bitcoin', hash: 'a', height: 5, compared_at: 1 },
    { blockchain: 'Dogecoin', hash: 'b', height: 7, compared_at: 1 },
  )
  const heights = [await selectComparedHeight(env.DB, 'Dogecoin'), await selectComparedHeight(env.DB, 'Nativecoin')]
  expect(heights).toEqual([7, undefined])
})
