import { env } from 'cloudflare:test'
import { Hono } from 'hono'
import { beforeEach, describe, expect, it } from 'vitest'
import { requireToken } from '../../../../worker/features/auth/require-token.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { answerError } from '../../../../worker/platform/http/answer-error.ts'
import type { AppEnv } from '../../../../worker/platform/http/app-env.ts'
import { signIn } from '../../sign-in.ts'

const app = new Hono<AppEnv>()
app.use(async (c, next) => {
  c.set('config', readConfig(env))
  await next()
})
app.get('/any', requireToken(), (c) => c.json(c.get('caller')))
app.get('/users', requireToken('users'), (c) => c.json(c.get('caller')))
app.onError(answerError)

const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers }, env)

describe('a request that needs a token', () => {
  let user: Awaited<ReturnType<typeof signIn>>
  beforeEach(async () => {
    user = await signIn()
  })

  it('finds the caller behind a live access token', async () => {
    const response = await get('/any', user.headers)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ userId: user.userId, permissions: ['store', 'pay'] })
  })

  it.each([
    ['no header', {}],
    ['another scheme', { Authorization: 'Basic YTpi' }],
    ['no token', { Authorization: 'Bearer ' }],
    ['no token at all', { Authorization: 'Bearer undefined' }],
  ])('is refused with 401 and a challenge when it has %s', async (_, headers: Record<string, string>) => {
    const response = await get('/any', headers)
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
    expect(await response.json()).toEqual({ message: expect.any(String), code: expect.any(String) })
  })

  it('is refused with 403 when the role lacks the permission', async () => {
    const response = await get('/users', user.headers)
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'permission_missing' })
  })

  it('is let through when the role has the permission', async () => {
    const admin = await signIn('admin')
    expect((await get('/users', admin.headers)).status).toBe(200)
  })

  it('obeys a role that changed after the token was made', async () => {
    await env.DB.prepare("UPDATE users SET role = 'admin' WHERE id = ?").bind(user.userId).run()
    expect((await get('/users', user.headers)).status).toBe(200)
  })

  it.each(['status = 0', 'status = 2', 'token_epoch = token_epoch + 1'])(
    'is refused once the account has %s',
    async (change) => {
      await env.DB.prepare(`UPDATE users SET ${change} WHERE id = ?`).bind(user.userId).run()
      expect((await get('/any', user.headers)).status).toBe(401)
    },
  )
})
