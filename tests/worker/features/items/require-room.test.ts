import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { requireRoom } from '../../../../worker/features/items/require-room.ts'
import { add } from '../../rows.ts'
import { newUser } from '../payments/pay-for-items.ts'

describe('new items while the database is nearly full', () => {
  it('are refused to who never paid from 80 % on, and to all from 95 % on', async () => {
    const [stranger, customer] = [(await newUser()).userId, (await newUser()).userId]
    await add('ledger', { user_id: customer, seq: 1, amount: '5', balance: '5', cause: `output:${customer}:0` })
    const { meta } = await env.DB.prepare('SELECT 1').run()
    const outcome = async (userId: string, share: number) => {
      try {
        await requireRoom(env.DB, userId, Math.ceil(meta.size_after / share))
        return 'taken'
      } catch (error) {
        return error
      }
    }
    const refused = expect.objectContaining({ status: 503, code: 'database_full' })
    expect([await outcome(stranger, 0.75), await outcome(stranger, 0.85)]).toEqual(['taken', refused])
    expect([await outcome(customer, 0.85), await outcome(customer, 0.97)]).toEqual(['taken', refused])
  })
})
