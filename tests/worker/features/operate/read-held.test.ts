import { expect, it } from 'vitest'
import { readHeld } from '../../../../worker/features/operate/read-held.ts'

it('what is held is what the wallet has, to the last base unit', async () => {
  expect(await readHeld(async (calls) => calls.map(() => ({ result: '90071992.54740993' })))).toBe(
    9_007_199_254_740_993n,
  )
})
