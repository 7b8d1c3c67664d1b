import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { deliverMail } from '../../../../worker/features/accounts/deliver-mail.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { openOutbox } from '../../outbox.ts'
import { add, clear, list } from '../../rows.ts'

const { DB } = env
let outbox: ReturnType<typeof openOutbox>
let error: ReturnType<typeof vi.spyOn>

beforeEach(async () => {
  await clear('mails', 'mail_links')
  outbox = openOutbox()
  error = vi.spyOn(console, 'error').mockImplementation(() => {})
  return () => vi.restoreAllMocks()
})

describe('a mail', () => {
  it('without a link is sent once, when it is due', async () => {
    await add('mails', { id: 'notice', template: 'password', next_attempt_at: 5 })
    await deliverMail(DB, readConfig(env), 'notice', 4)
    expect([outbox.requests.length, await list('mails', 'id')]).toEqual([0, ['notice']])
    await deliverMail(DB, readConfig(env), 'notice', 5)
    await deliverMail(DB, readConfig(env), 'notice', 5)
    expect([outbox.requests.length, await list('mails', 'id')]).toEqual([1, []])
    expect(error).not.toHaveBeenCalled()
  })

  it('with a link that was used or replaced is not sent, nor tried again', async () => {
    await add('mails', { id: 'mail', template: 'verify', link_jti: 'gone' })
    await deliverMail(DB, readConfig(env), 'mail', 5)
    expect([outbox.requests.length, await list('mails', 'id')]).toEqual([0, []])
    expect(error).not.toHaveBeenCalled()
  })

  it('waits where no provider is set, which operators are told by the name of the setting', async () => {
    await add('mails', { id: 'mail' })
    await deliverMail(DB, { ...readConfig(env), mail: undefined }, 'mail', 5)
    expect(await list('mails', 'id')).toEqual(['mail'])
    expect(error.mock.calls).toEqual([['mail_waits', 'MAIL_URL is not set']])
  })
})
