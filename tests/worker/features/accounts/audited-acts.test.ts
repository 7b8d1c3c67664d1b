import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { selectAudit } from '../../../../worker/platform/records/audit-log.ts'
import { fetchApi } from '../../fetch-api.ts'
import { openOutbox } from '../../outbox.ts'
import { addTokens, addUser, PASSWORD, signIn } from '../../sign-in.ts'
import { decode } from '../auth/forge-token.ts'
import { tokenOf } from './post-form.ts'

let user: { userId: string; email: string }
beforeEach(async () => {
  user = await addUser()
})
afterEach(() => vi.restoreAllMocks())

/** What the audit log has of the user's account, latest first. */
async function acts(): Promise<{ act: string; actor: string; subject: string | undefined }[]> {
  const rows = await selectAudit(env.DB, { account: user.userId, before: Number.MAX_SAFE_INTEGER, limit: 20 })
  return rows.map(({ act, actor, subject }) => ({ act, actor, subject }))
}

const jtiOf = (token: string) => String(decode(token).payload.jti)
const own = (act: string, subject?: string) => ({ act, actor: user.userId, subject })

describe('the audit log tells an account of', () => {
  it('each login with the right password, and of no other', async () => {
    await fetchApi('POST', '/v0/token', { body: { email: user.email, password: 'Incorrect1' } })
    expect(await acts()).toEqual([])
    const response = await fetchApi('POST', '/v0/token', { body: { email: user.email, password: PASSWORD } })
    const { refreshToken }: { refreshToken: string } = await response.json()
    expect(await acts()).toEqual([own('login.made', `session:${jtiOf(refreshToken)}`)])
  })

  it('each session that was ended, once', async () => {
    const { accessToken, refreshToken } = await addTokens(user.userId)
    const other = await addTokens(user.userId)
    const revoke = () => fetchApi('DELETE', '/v0/token', { token: accessToken, body: { token: refreshToken } })
    expect([(await revoke()).status, (await revoke()).status]).toEqual([204, 400])
    await fetchApi('DELETE', `/v0/user/sessions/${jtiOf(other.refreshToken)}`, { token: accessToken })
    const ended = (await acts()).filter(({ act }) => act === 'session.ended')
    expect(ended).toEqual(
      [other.refreshToken, refreshToken].map((token) => own('session.ended', `session:${jtiOf(token)}`)),
    )
  })

  it('keys that were made and revoked', async () => {
    const { accessToken: token } = await addTokens(user.userId)
    const body = { name: 'ci', scopes: ['read'] }
    const { id }: { id: string } = await (await fetchApi('POST', '/v0/user/keys', { token, body })).json()
    for (let time = 0; time < 2; time++) await fetchApi('DELETE', `/v0/user/keys/${id}`, { token })
    expect((await acts()).slice(0, -1)).toEqual([own('key.deleted', `key:${id}`), own('key.made', `key:${id}`)])
  })

  it('a reset of its password, which ended its sessions', async () => {
    const outbox = openOutbox()
    await fetchApi('POST', '/v0/user/password/send', { body: { email: user.email } })
    await vi.waitFor(() => expect(outbox.mails).toHaveLength(1), { timeout: 60_000 })
    const body = { token: tokenOf(outbox.lastLink(user.email)), password: 'Changed1' }
    for (const status of [200, 400]) {
      expect((await fetchApi('PUT', '/v0/user/password', { body })).status).toBe(status)
    }
    expect(await acts()).toEqual([own('sessions.ended'), own('password.changed')])
  })

  it('its identity being confirmed, by whom', async () => {
    user = await addUser({ status: 3 })
    const admin = await signIn('admin')
    for (let time = 0; time < 2; time++) {
      await fetchApi('PUT', `/v0/user/${user.userId}/identity`, { token: admin.token, body: { verified: true } })
    }
    expect(await acts()).toEqual([{ act: 'identity.confirmed', actor: admin.userId, subject: undefined }])
  })

  it('its closing', async () => {
    const { accessToken: token } = await addTokens(user.userId)
    await fetchApi('DELETE', '/v0/user', { token, body: { password: PASSWORD } })
    expect((await acts())[0]).toEqual(own('account.closed'))
  })
})
