import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { countLogin, countMail } from '../../../../worker/features/auth/count-attempt.ts'
import { updateAttempt } from '../../../../worker/features/auth/sql/attempts.ts'
import { clear } from '../../rows.ts'

const { DB } = env
const HOUR = 3_600_000
beforeEach(() => clear('attempts'))

/** So many failed logins from a client; what is left of the last. */
async function fail(times: number, given: Parameters<typeof countLogin>[1], now = 0): Promise<unknown> {
  let last: unknown
  for (let n = 0; n < times; n++) {
    const counted = await countLogin(DB, given, now)
    if ('id' in counted) await updateAttempt(DB, counted.id)
    last = 'id' in counted ? counted.left : counted
  }
  return last
}
const login = (email: string, address?: string, more: object = {}) => ({
  ...{ email, client: { address }, proven: false },
  ...more,
})

describe('failed logins', () => {
  it('leave as many as the nearest limit of the caller, whatever others did', async () => {
    expect(await fail(1, login('ada', '192.0.2.1'))).toEqual({ name: 'login', left: 4 })
    for (let n = 0; n < 16; n++) await fail(1, login(`other ${n}`, '192.0.2.1'))
    expect(await fail(1, login('ada', '192.0.2.1'))).toEqual({ name: 'login-client', left: 2 })
    expect(await fail(1, login('ada', '192.0.2.2'))).toEqual({ name: 'login', left: 4 })
  })

  it('of clients without an address count for the account that they are for, and lock out no other', async () => {
    await fail(5, login('ada'))
    await expect(fail(1, login('ada'))).rejects.toMatchObject({ status: 429 })
    for (let n = 0; n < 20; n++) await fail(1, login(`other ${n}`))
    expect(await fail(1, login('bob'))).toEqual({ name: 'login', left: 4 })
  })

  it('of a known device are counted apart from those of the email address', async () => {
    await fail(5, login('ada', '192.0.2.1'))
    expect(await fail(1, login('ada', '192.0.2.1', { known: 'device' }))).toEqual({ name: 'login-device', left: 4 })
    await fail(4, login('ada', '192.0.2.2', { known: 'device' }))
    await expect(fail(1, login('ada', '192.0.2.3', { known: 'device' }))).rejects.toMatchObject({ status: 429 })
  })

  it('of a network ask for a proof, which says by which limit, and with one are let in', async () => {
    for (let n = 0; n < 15; n++) {
      for (let of = 0; of < 4; of++)
        await fail(1, login(`${n} ${of}`, `2001:0db8:0001:12${(10 + n).toString(16).padStart(2, '0')}`))
    }
    const client = '2001:0db8:0001:12ff'
    expect(await fail(1, login('ada', client))).toEqual({ proofIn: 900, limit: 'login-56' })
    expect(await fail(1, login('ada', client, { proven: true }))).toMatchObject({ left: 4 })
    expect(await fail(1, login('ada', '192.0.2.1'))).toMatchObject({ left: 4 })
  })
})

describe('mails that somebody asks for', () => {
  const ask = (kind: 'reset' | 'verify' | 'sign-up', email = 'ada@x.example', address = '192.0.2.1', now = 0) =>
    countMail(DB, kind, email, { address }, now)

  it('leave as many as the nearest limit of the caller; links and sign-ups together', async () => {
    expect([await ask('sign-up'), await ask('verify'), await ask('reset')]).toMatchObject([
      ...[{ left: 9 }, { left: 8 }, { left: 7 }],
    ])
  })

  it('are no more than a client may ask for, also for a reset', async () => {
    for (let n = 0; n < 100; n++) await ask('reset', `${n}@x.example`)
    await expect(ask('reset', 'new@x.example')).rejects.toMatchObject({ status: 429 })
    expect(await ask('reset', 'new@x.example', '192.0.2.2')).toMatchObject({ left: 9 })
  })

  it('go out above the daily number only for a reset, one in an hour', async () => {
    for (let n = 0; n < 30; n++) await ask('verify', undefined, `192.0.2.${n}`)
    for (const kind of ['verify'] as const)
      await expect(ask(kind, undefined, '192.0.2.99')).rejects.toMatchObject({ status: 429 })
    await ask('reset', undefined, '192.0.2.99')
    await expect(ask('reset', undefined, '192.0.2.98')).rejects.toMatchObject({ status: 429 })
    await ask('reset', undefined, '192.0.2.98', HOUR)
  })
})
