import { createExecutionContext, env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  answerKeyStatements,
  claimKey,
  KEY_AGE,
  KEY_BUSY,
  releaseKey,
  sweepKeys,
} from '../../../../../worker/features/auth/idempotency/idempotency-keys.ts'
import { apiApp } from '../../../../../worker/hosts/api-app.ts'
import type { Env } from '../../../../../worker/platform/bindings.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { atEveryFault } from '../../../faulty-env.ts'
import { fetchApi } from '../../../fetch-api.ts'
import { signIn } from '../../../sign-in.ts'

const ITEM = { name: 'a.txt', mimetype: 'text/plain', blockchain: 'Nativecoin', size: 5 }
const FOLDER = { name: 'a', blockchain: 'IPFS' }
const NOW = 1_800_000_000_000

const post = async (token: string, key: string, body: unknown = ITEM, path = '/v0/item') =>
  await fetchApi('POST', path, { token, body, headers: { 'Idempotency-Key': key } })
const idOf = async (response: Response) => (await response.json<{ id: string }>()).id
const itemsOf = async (userId: string) =>
  (await env.DB.prepare('SELECT id FROM items WHERE user_id = ?').bind(userId).all<{ id: string }>()).results
const claim = (userId: string, attempt: string, request = 'r') => ({ userId, key: 'k', request, attempt })

describe('Idempotency-Key', () => {
  it('gives the same request the answer of the first one, and makes the thing once', async () => {
    const { token, userId } = await signIn()
    const first = await post(token, 'one')
    const again = await post(token, '"one"')
    expect([first.status, again.status]).toEqual([201, 201])
    expect(first.headers.has('Idempotent-Replayed')).toBe(false)
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(again.headers.get('Content-Type')).toBe('application/json')
    expect(await again.json()).toEqual(await first.json())
    expect(await itemsOf(userId)).toHaveLength(1)
  })

  it('makes one thing of requests that come at once, and tells those that come meanwhile to wait', async () => {
    const { token, userId } = await signIn()
    const answers = await Promise.all([1, 2, 3, 4].map(async () => await post(token, 'one')))
    for (const { status } of answers) expect([201, 409]).toContain(status)
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
    expect(await itemsOf(userId)).toHaveLength(1)
  })

  it('P11: refuses the key of another body, and of another path, with 422', async () => {
    const { token } = await signIn()
    await post(token, 'one')
    const other = await post(token, 'one', { ...ITEM, size: 6 })
    expect([other.status, await other.json()]).toMatchObject([422, { code: 'key_reused' }])
    expect((await post(token, 'one', ITEM, '/v0/folder')).status).toBe(422)
  })

  it('answers 409 with Retry-After while the first is running', async () => {
    const { token, userId } = await signIn()
    const { status } = await post(token, 'one', FOLDER, '/v0/folder')
    expect(status).toBe(201)
    await env.DB.prepare('UPDATE idempotency_keys SET status = NULL, body = NULL, busy_until = ? WHERE user_id = ?')
      .bind(Date.now() + KEY_BUSY, userId)
      .run()
    const again = await post(token, 'one', FOLDER, '/v0/folder')
    expect([again.status, await again.json()]).toMatchObject([409, { code: 'request_running' }])
    expect(again.headers.get('Retry-After')).toBe('2')
  })

  it('P11: is of one account: the same key of another is another', async () => {
    const [one, two] = [await signIn(), await signIn()]
    expect(await idOf(await post(one.token, 'same'))).not.toBe(await idOf(await post(two.token, 'same')))
  })

  it('does not keep a refusal, which did nothing: what is put right may use the key again', async () => {
    const { token } = await signIn()
    expect((await post(token, 'one', { ...ITEM, size: -1 })).status).toBe(400)
    expect((await post(token, 'one')).status).toBe(201)
  })

  it('refuses what is no key before anything is done', async () => {
    const { token, userId } = await signIn()
    for (const key of ['', 'a b', '"open', 'é', 'x'.repeat(129)]) {
      const refused = await post(token, key)
      expect([key, refused.status]).toEqual([key, 400])
      expect((await refused.json<{ message: string }>()).message).toContain('Idempotency-Key')
    }
    expect(await itemsOf(userId)).toEqual([])
  })

  it('reads no more of a body than its route does', async () => {
    const { token } = await signIn()
    expect((await post(token, 'one', { ...FOLDER, name: 'x'.repeat(9000) }, '/v0/folder')).status).toBe(413)
  })

  it('is taken for folders too, and lets a request without it be', async () => {
    const { token } = await signIn()
    const first = await idOf(await post(token, 'one', FOLDER, '/v0/folder'))
    expect(await idOf(await post(token, 'one', FOLDER, '/v0/folder'))).toBe(first)
    expect(await idOf(await fetchApi('POST', '/v0/folder', { token, body: FOLDER }))).toBe(first)
  })
})

describe('a crash between two awaits', () => {
  beforeEach(() => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    return () => log.mockRestore()
  })

  it('neither makes the item twice nor loses the answer that was given', async () => {
    const { token } = await signIn()
    const named = async (name: string) =>
      (await env.DB.prepare('SELECT id FROM items WHERE name = ?').bind(name).all<{ id: string }>()).results
    const send = async (bindings: Env, key: string) =>
      await apiApp.fetch(
        new Request('https://api.example/v0/item', {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
          body: JSON.stringify({ ...ITEM, name: key }),
        }),
        bindings,
        createExecutionContext(),
      )
    const answered = new Map<string, string>()
    const points = await atEveryFault(
      async () => crypto.randomUUID(),
      async (bindings, key) => {
        const response = await send(bindings, key)
        if (response.status === 201) answered.set(key, await idOf(response))
      },
      async (key, point) => {
        const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + KEY_BUSY + 1000)
        const response = await send(env, key)
        clock.mockRestore()
        const id = await idOf(response)
        expect([point, response.status]).toEqual([point, 201])
        if (answered.has(key)) expect([point, id]).toEqual([point, answered.get(key)])
        expect([point, await named(key)]).toEqual([point, [{ id }]])
      },
    )
    expect(points).toBeGreaterThanOrEqual(8)
    expect(answered.size).toBeGreaterThan(0)
  })

  it('lets another attempt go on after a while, and nothing of the first come after it', async () => {
    const userId = crypto.randomUUID()
    expect(await claimKey(env.DB, claim(userId, 'first'), NOW)).toMatchObject({ state: 'claimed' })
    expect(await claimKey(env.DB, claim(userId, 'second'), NOW + KEY_BUSY)).toMatchObject({ state: 'running' })
    expect(await claimKey(env.DB, claim(userId, 'second'), NOW + KEY_BUSY + 1)).toMatchObject({ state: 'claimed' })
    const late = answerKeyStatements(env.DB, claim(userId, 'first'), { status: 201, body: '{"id":1}' })
    expect(await batchIf(env.DB, late)).toBe(false)
    expect(await releaseKey(env.DB, claim(userId, 'first'))).toBe(false)
    const answer = { status: 201, body: '{"id":2}' }
    expect(await batchIf(env.DB, answerKeyStatements(env.DB, claim(userId, 'second'), answer))).toBe(true)
    expect(await claimKey(env.DB, claim(userId, 'third'), NOW + KEY_BUSY + 2)).toMatchObject({
      state: 'answered',
      answer,
    })
  })

  it('does not let a key of another body be taken over', async () => {
    const userId = crypto.randomUUID()
    await claimKey(env.DB, claim(userId, 'first'), NOW)
    expect(await claimKey(env.DB, claim(userId, 'second', 'other'), NOW + KEY_BUSY + 1)).toMatchObject({
      state: 'reused',
    })
  })

  it('does not wait longer than it was told to after a clock that went back', async () => {
    const userId = crypto.randomUUID()
    await claimKey(env.DB, claim(userId, 'first'), NOW)
    expect(await claimKey(env.DB, claim(userId, 'second'), NOW - 10 * KEY_BUSY)).toMatchObject({ state: 'claimed' })
  })
})

describe('the age and the number of keys', () => {
  it('forgets a key after 24 hours: another request may have it', async () => {
    const userId = crypto.randomUUID()
    await claimKey(env.DB, claim(userId, 'first'), NOW)
    await batchIf(env.DB, answerKeyStatements(env.DB, claim(userId, 'first'), { status: 201, body: '{}' }))
    expect((await claimKey(env.DB, claim(userId, 'next', 'other'), NOW + KEY_AGE - 1)).state).toBe('reused')
    expect((await claimKey(env.DB, claim(userId, 'next', 'other'), NOW + KEY_AGE)).state).toBe('claimed')
  })

  it('sweeps those that are older, and no others', async () => {
    await env.DB.prepare('DELETE FROM idempotency_keys').run()
    const keys = ['old', 'young'].map((key) => ({ ...claim('u', 'a'), key }))
    for (const [index, key] of keys.entries()) await claimKey(env.DB, key, NOW + index * KEY_AGE)
    await sweepKeys(env.DB, NOW + KEY_AGE)
    const { results } = await env.DB.prepare('SELECT key FROM idempotency_keys').all()
    expect(results).toEqual([{ key: 'young' }])
  })

  it('P11: takes no more than 10,000 of one account', async () => {
    const userId = crypto.randomUUID()
    await env.DB.prepare(
      `INSERT INTO idempotency_keys (user_id, key, request, attempt, busy_until, seq, created_at)
       SELECT ?1, 'key' || value, 'r', 'a', 0, value, ?2 FROM (SELECT 1 AS value UNION SELECT 10000)`,
    )
      .bind(userId, NOW)
      .run()
    expect(await claimKey(env.DB, claim(userId, 'first'), NOW)).toMatchObject({ state: 'full' })
    await sweepKeys(env.DB, NOW + KEY_AGE)
    expect(await claimKey(env.DB, claim(userId, 'first'), NOW)).toMatchObject({ state: 'claimed' })
  })
})
