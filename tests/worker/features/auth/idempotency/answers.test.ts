import { env } from 'cloudflare:test'
import { type Context, Hono } from 'hono'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Caller } from '../../../../../worker/features/auth/find-caller.ts'
import { type IdempotentEnv, idempotent } from '../../../../../worker/features/auth/idempotency/idempotent.ts'
import { AppError } from '../../../../../worker/platform/http/errors.ts'
import { clear, count } from '../../../rows.ts'

type Handler = (c: Context<IdempotentEnv>) => Response | Promise<Response>

const caller: Caller = {
  ...{ userId: 'ada', email: '', firstName: '', lastName: '', role: 'user', permissions: [], tokenEpoch: 0 },
  ...{ authTime: 0, session: undefined, expiresAt: undefined, key: undefined },
}
beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await clear('idempotency_keys')
})

/** Posts to a handler; how often that has worked then is in `worked`. */
function posting(handler: Handler, options: { required?: boolean } = {}) {
  const state = { worked: 0 }
  const app = new Hono<IdempotentEnv>()
  app.onError((error, c) =>
    c.json({ code: 'code' in error ? error.code : 'internal' }, error instanceof AppError ? error.status : 500),
  )
  app.use(async (c, next) => {
    c.set('caller', caller)
    c.set('counted', [])
    await next()
  })
  app.post('/act', idempotent(1_000, options), async (c) => {
    state.worked++
    return await handler(c)
  })
  const post = async (key: string | undefined, path = '/act', body = '{}') => {
    const headers = key === undefined ? {} : { 'Idempotency-Key': key }
    const response = await app.request(path, { method: 'POST', body, headers }, env)
    return [response.status, await response.text(), response.headers.get('Idempotent-Replayed')] as const
  }
  return { post, state }
}

describe('the answer to a request with an Idempotency-Key', () => {
  it.each([200, 202, 402] as const)('is kept where it is %s', async (status) => {
    const { post, state } = posting((c) => c.json({ n: 1 }, status))
    expect(await post('k')).toEqual([status, '{"n":1}', null])
    expect([await post('k'), state.worked]).toEqual([[status, '{"n":1}', 'true'], 1])
  })

  it('is kept that has no body', async () => {
    const { post, state } = posting((c) => c.body(null, 204))
    await post('k')
    expect([await post('k'), state.worked]).toEqual([[204, '', 'true'], 1])
  })

  it.each([400, 409, 503] as const)('is not kept where it is %s: the key is free', async (status) => {
    const { post, state } = posting((c) => c.json({}, status))
    await post('k')
    expect([await post('k'), state.worked]).toEqual([[status, '{}', null], 2])
    expect(await count('idempotency_keys')).toBe(0)
  })

  it('is not kept that is longer than 64 KiB, in bytes: the key is free', async () => {
    const { post, state } = posting((c) => c.body('ä'.repeat(32 * 1024 + 1)))
    await post('k')
    await post('k')
    expect([state.worked, await count('idempotency_keys')]).toEqual([2, 0])
    const fitting = posting((c) => c.body('ä'.repeat(32 * 1024)))
    await fitting.post('l')
    await fitting.post('l')
    expect(fitting.state.worked).toBe(1)
  })

  it('is that of its effect where only the reply of the database was lost', async () => {
    const { post, state } = posting(async (c) => {
      await env.DB.batch(c.get('record')({ status: 201, body: { made: true } }))
      throw new AppError(503, 'busy', 'The reply was lost.')
    })
    expect(await post('k')).toEqual([201, '{"made":true}', 'true'])
    expect([await post('k'), state.worked]).toEqual([[201, '{"made":true}', 'true'], 1])
  })

  it('fails the batch of an effect that is too long to be kept with it', async () => {
    const { post } = posting(async (c) => {
      await env.DB.batch(c.get('record')({ status: 201, json: 'x'.repeat(64 * 1024 + 1) }))
      return c.body(null)
    })
    expect((await post('k'))[0]).toBe(500)
    expect(await count('idempotency_keys')).toBe(0)
  })

  it('is of the same method, path, query and body alone', async () => {
    const { post, state } = posting((c) => c.json({}))
    await post('k')
    for (const [path, body] of [
      ['/act?a=1', '{}'],
      ['/act', '{ }'],
    ] as const)
      expect((await post('k', path, body))[0]).toBe(422)
    expect(state.worked).toBe(1)
  })
})

describe('a request without an Idempotency-Key', () => {
  it('works each time, and records nothing', async () => {
    const { post, state } = posting(async (c) => {
      expect(c.get('record')({ status: 200, body: {} })).toEqual([])
      return c.json({})
    })
    for (const _ of [1, 2]) expect(await post(undefined)).toEqual([200, '{}', null])
    expect([state.worked, await count('idempotency_keys')]).toEqual([2, 0])
  })

  it('is refused where one is required', async () => {
    const { post, state } = posting((c) => c.json({}), { required: true })
    expect([(await post(undefined))[0], (await post('k'))[0], state.worked]).toEqual([400, 200, 1])
  })
})
