import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { deliverDueMails, deliverMail } from '../../../../worker/features/accounts/deliver-mail.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { openOutbox } from '../../outbox.ts'
import { add, clear, list } from '../../rows.ts'

const { DB } = env
const MINUTE = 60_000
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
    await add('mails', { id: 'mail', created_at: 5 })
    const config = { ...readConfig(env), mail: undefined }
    await deliverDueMails(DB, config, 5)
    expect([await list('mails', 'id'), error.mock.calls]).toEqual([['mail'], []])
    await deliverDueMails(DB, config, 5 + 15 * MINUTE)
    expect(error.mock.calls).toEqual([['mail_waits', 'for 15 minutes', 'MAIL_URL is not set']])
  })

  it('that its provider refuses is told to operators in each minute from the fifteenth on, until it is sent', async () => {
    const told = () => error.mock.calls.flatMap((line: unknown[]) => (line[0] === 'mail_waits' ? [line[1]] : []))
    await add('mails', { id: 'mail', template: 'password', created_at: 0 })
    outbox.status = 503
    for (const minute of [0, 1, 3, 7, 14]) await deliverDueMails(DB, readConfig(env), minute * MINUTE)
    expect(told()).toEqual([])
    for (const minute of [15, 16, 31]) await deliverDueMails(DB, readConfig(env), minute * MINUTE)
    expect(told()).toEqual(['for 15 minutes', 'for 16 minutes', 'for 31 minutes'])
    outbox.status = 202
    await deliverDueMails(DB, readConfig(env), 70 * MINUTE)
    expect([outbox.requests.length > 0, await list('mails', 'id'), told().length]).toEqual([true, [], 3])
  })
})
