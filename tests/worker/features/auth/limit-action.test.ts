import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { limitAction } from '../../../../worker/features/auth/limit-action.ts'
import { clear } from '../../rows.ts'

const { DB } = env
const MINUTE = 60_000
beforeEach(() => clear('attempts'))

const act = (name: 'domains' | 'uploads' | 'webhooks', userId = 'ada', now = 0) => limitAction(DB, name, userId, now)

describe('what an account does', () => {
  it('is counted, each kind of act by itself, of each account by itself', async () => {
    for (let left = 19; left >= 0; left--) expect(await act('webhooks')).toEqual({ name: 'webhooks', left })
    await expect(act('webhooks')).rejects.toMatchObject({ status: 429 })
    expect([await act('webhooks', 'bob'), await act('domains'), await act('uploads')]).toEqual([
      ...[
        { name: 'webhooks', left: 19 },
        { name: 'domains', left: 59 },
        { name: 'uploads', left: 119 },
      ],
    ])
  })

  it('is let in again when the first of it has left the window, which the refusal says', async () => {
    await act('webhooks')
    for (let n = 1; n < 20; n++) await act('webhooks', 'ada', MINUTE)
    await expect(act('webhooks', 'ada', 2 * MINUTE)).rejects.toMatchObject({
      headers: expect.objectContaining({ 'Retry-After': String(13 * 60) }),
    })
    await expect(act('webhooks', 'ada', 15 * MINUTE - 1)).rejects.toMatchObject({ status: 429 })
    expect(await act('webhooks', 'ada', 15 * MINUTE)).toEqual({ name: 'webhooks', left: 0 })
  })
})
