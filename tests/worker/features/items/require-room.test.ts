import { expect, it } from 'vitest'
import { requireRoom } from '../../../../worker/features/items/require-room.ts'

it('refuses new items while the database is nearly full: of who never paid from 80 % on, of all from 95 % on', () => {
  const outcome = (hasPaid: boolean, databaseBytes: number) => {
    try {
      requireRoom({ hasPaid, databaseBytes }, 100)
      return 'taken'
    } catch (error) {
      return error
    }
  }
  const refused = expect.objectContaining({ status: 503, code: 'database_full' })
  expect([outcome(false, 79), outcome(false, 80)]).toEqual(['taken', refused])
  expect([outcome(true, 94), outcome(true, 95)]).toEqual(['taken', refused])
})
