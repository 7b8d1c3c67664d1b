import { expect, it } from 'vitest'
import { withdrawalJson } from '../../../../worker/features/payouts/ask/withdrawal-json.ts'

const sent = {
  ...({ id: 'w', blockchain: 'Bitcoin', address: 'a', state: 'sent', amount: 1n, fee: 1n, createdAt: 1_000 } as const),
  ...{ feeRate: 1n, script: '51', userId: 'ada', txid: 't', blockHeight: 7 },
}

it('a withdrawal says since when it waits only where it says why', () => {
  const shown = (more: { reason: string | undefined; since: number | undefined }) =>
    JSON.parse(withdrawalJson({ ...sent, ...more }))
  expect(shown({ reason: undefined, since: 5_000 })).not.toHaveProperty('since')
  expect(shown({ reason: 'fees', since: 5_000 })).toMatchObject({ message: 'fees', since: 5 })
  expect(shown({ reason: 'fees', since: undefined })).not.toHaveProperty('since')
})
