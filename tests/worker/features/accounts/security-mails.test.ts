import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { writeMail } from '../../../../worker/features/accounts/write-mail.ts'
import { fetchApi } from '../../fetch-api.ts'
import { logInQuickly, PASSWORD } from '../../sign-in.ts'

async function mailsTo(recipient: string): Promise<string[]> {
  const { results } = await env.DB.prepare(
    'SELECT template, about FROM mails WHERE recipient = ? ORDER BY created_at, template',
  )
    .bind(recipient)
    .all<{ template: string; about: string | null }>()
  return results.map(({ template, about }) => (about === null ? template : `${template} ${about}`))
}

it('tells of a changed password, once it is changed', async () => {
  const { accessToken: token, email } = await logInQuickly()
  const change = (password: string) =>
    fetchApi('PUT', '/v0/user', { token, body: { password, newPassword: 'Another1' } })
  expect((await change('Wrong123')).status).toBe(403)
  expect(await mailsTo(email)).toEqual([])
  expect((await change(PASSWORD)).status).toBe(200)
  expect(await mailsTo(email)).toEqual(['password'])
})

it('tells of keys that are added and removed, and writes nothing twice while it waits to be sent', async () => {
  const { accessToken: token, email } = await logInQuickly()
  const ids: string[] = []
  for (const name of ['one', 'two']) {
    const made = await fetchApi('POST', '/v0/user/keys', { token, body: { name, scopes: ['read'] } })
    ids.push((await made.json<{ id: string }>()).id)
  }
  expect(await mailsTo(email)).toEqual(['key added'])
  expect((await fetchApi('DELETE', `/v0/user/keys/${crypto.randomUUID()}`, { token })).status).toBe(404)
  expect(await mailsTo(email)).toEqual(['key added'])
  for (const id of ids) expect((await fetchApi('DELETE', `/v0/user/keys/${id}`, { token })).status).toBe(204)
  expect(await mailsTo(email)).toEqual(['key added', 'key removed'])
})

it.each(['password', 'key', 'passkey'] as const)(
  'the mail of a %s says what to do if it was somebody else',
  async (template) => {
    const mail = {
      to: 'ada@x.example',
      service: 'hook.example',
      link: undefined,
      about: 'added',
      language: 'en' as const,
    }
    const { text, subject } = await writeMail(template, mail)
    expect(`${subject} ${text}`).toMatch(/password|added/)
    expect(text).toContain('ask for a new password by mail at once')
  },
)
