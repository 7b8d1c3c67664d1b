import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { sweepItems } from '../../../../worker/features/items/sweep.ts'
import { settledHistory } from '../../../kit/settled-history.ts'
import { countRows } from '../../count-rows.ts'

const STORED = 2_000

async function rowsOfSweep(): Promise<number> {
  const { db, rows } = countRows(env.DB)
  await sweepItems({ ...env, DB: db }, Date.now())
  return rows().read
}

it('reads no more rows each minute beside thousands of stored items that nothing is left of', async () => {
  const alone = await rowsOfSweep()
  for (const { sql, values } of settledHistory(STORED, 'Bitcoin', ['a'.repeat(64)]))
    await env.DB.prepare(sql)
      .bind(...values)
      .run()
  expect(await rowsOfSweep()).toBeLessThan(alone + 10)
})
