import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { stopPayouts } from '../../../../worker/features/transactions/stop-payouts.ts'
import { count } from '../../rows.ts'

it('payouts of a chain are stopped for a cause once, whatever those of another chain are stopped for', async () => {
  const stop = (blockchain: 'Bitcoin' | 'Dogecoin') =>
    stopPayouts(env.DB, blockchain, { cause: 'records', reason: 'the bucket takes nothing' }, 5)
  expect([await stop('Bitcoin'), await stop('Dogecoin'), await stop('Bitcoin')]).toEqual([true, true, false])
  expect(await count("stops WHERE part = 'payouts'")).toBe(2)
})
