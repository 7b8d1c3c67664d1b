import { env, exports } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { selectDeniedChanges } from '../../../../../worker/content/denylist/denied.ts'
import { signIn } from '../../../sign-in.ts'

const TXID = 'ab'.repeat(32)
const CID = 'bafybeifx7yeb55armcsxwwitkymga5xf53dxiarykms3ygqic223w5sk3m'

let moderator: Awaited<ReturnType<typeof signIn>>
beforeAll(async () => {
  moderator = await signIn('admin')
})
beforeEach(async () => {
  await env.DB.exec('DELETE FROM denied')
})

const send = (method: string, body: unknown, headers: Record<string, string> = moderator.headers) =>
  exports.default.fetch('https://api.example/v0/denied', {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const list = async (): Promise<{ denied: unknown[]; cursor?: string }> =>
  (await exports.default.fetch('https://api.example/v0/denied', { headers: moderator.headers })).json()

describe('/v0/denied', () => {
  it('puts a value on the list and takes it off again, each as often as asked', async () => {
    const entry = { kind: 'txid', value: TXID.toUpperCase(), reason: 'order 12/2026' }
    for (let times = 0; times < 2; times++) {
      const response = await send('PUT', entry)
      expect(response.status).toBe(204)
      expect(await response.text()).toBe('')
    }
    expect((await list()).denied).toEqual([
      { kind: 'txid', value: TXID, reason: 'order 12/2026', deniedBy: moderator.userId, updatedAt: expect.any(Number) },
    ])
    for (let times = 0; times < 2; times++) {
      expect((await send('DELETE', { kind: 'txid', value: TXID })).status).toBe(204)
    }
    expect((await list()).denied).toEqual([])
  })

  it('gives every change a number of its own, lifting included', async () => {
    await send('PUT', { kind: 'txid', value: TXID, reason: 'a' })
    await send('PUT', { kind: 'cid', value: CID, reason: 'b' })
    await send('DELETE', { kind: 'txid', value: TXID })
    const { changes } = await selectDeniedChanges(env.DB, 0, 10)
    expect(changes.map(({ kind, lifted }) => [kind, lifted])).toEqual([
      ['cid', false],
      ['txid', true],
    ])
  })

  it('lists page by page, latest first', async () => {
    const statement = env.DB.prepare(
      "INSERT INTO denied (kind, digest, value, reason, denied_by, seq, updated_at) VALUES ('txid', ?1, ?1, 'r', 'm', ?2, 0)",
    )
    const txid = (n: number) => n.toString(16).padStart(64, '0')
    await env.DB.batch(Array.from({ length: 150 }, (_, n) => statement.bind(txid(n), n + 1)))
    const first = await list()
    expect(first.denied).toHaveLength(100)
    expect(first.denied[0]).toMatchObject({ value: txid(149) })
    const url = `https://api.example/v0/denied?cursor=${first.cursor}`
    const second: { denied: unknown[] } = await (
      await exports.default.fetch(url, { headers: moderator.headers })
    ).json()
    expect(second.denied).toHaveLength(50)
    expect(second).not.toHaveProperty('cursor')
  })

  it.each([
    ['kind', { kind: 'host', value: TXID, reason: 'r' }],
    ['value', { kind: 'txid', value: 'ab', reason: 'r' }],
    ['value', { kind: 'cid', reason: 'r' }],
    ['reason', { kind: 'txid', value: TXID }],
    ['reason', { kind: 'txid', value: TXID, reason: ' ' }],
  ])('refuses with 400 a wrong %s in %j and changes nothing', async (field, body) => {
    const response = await send('PUT', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'invalid_field', message: expect.stringMatching(`^${field} `) })
    expect((await list()).denied).toEqual([])
  })

  it('is for moderators: 401 without a token, 403 for a user', async () => {
    const entry = { kind: 'txid', value: TXID, reason: 'r' }
    expect((await send('PUT', entry, {})).status).toBe(401)
    expect((await send('DELETE', entry, (await signIn()).headers)).status).toBe(403)
    expect((await list()).denied).toEqual([])
  })

  it('refuses a large body and another media type', async () => {
    expect((await send('PUT', { kind: 'txid', value: TXID, reason: 'x'.repeat(9000) })).status).toBe(413)
    expect((await send('PUT', {}, { ...moderator.headers, 'Content-Type': 'text/plain' })).status).toBe(415)
  })

  it('names its methods on any other', async () => {
    const response = await send('PATCH', {})
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe('GET, HEAD, PUT, DELETE')
  })
})
