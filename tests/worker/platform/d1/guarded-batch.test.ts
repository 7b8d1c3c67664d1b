import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { batchIf } from '../../../../worker/platform/d1/guarded-batch.ts'

const { DB } = env

it('a batch whose condition holds is written, and one whose condition does not is not', async () => {
  expect(await batchIf(DB, [DB.prepare('INSERT INTO assertions (holds) SELECT 1 WHERE false')])).toBe(true)
  expect(await batchIf(DB, [DB.prepare('INSERT INTO assertions (holds) SELECT 0')])).toBe(false)
  await expect(batchIf(DB, [DB.prepare("SELECT json_extract('{}', 'x')")])).rejects.toThrow('bad JSON path')
})
