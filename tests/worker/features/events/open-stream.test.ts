import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { insertEventStatement } from '../../../../worker/platform/records/event-queue.ts'
import { fetchApi } from '../../fetch-api.ts'
import { signIn } from '../../sign-in.ts'

let user: Awaited<ReturnType<typeof signIn>>
const opened: Response[] = []
beforeEach(async () => {
  user = await signIn()
})
afterEach(async () => {
  vi.useRealTimers()
  for (const { body } of opened.splice(0)) await body?.cancel()
})

async function open(headers: Record<string, string> = {}) {
  const response = await fetchApi('GET', '/v0/events', { token: user.token, headers })
  if (response.ok) opened.push(response)
  return response
}
const leases = async () => {
  const row = await env.DB.prepare('SELECT COUNT(*) AS n FROM event_streams WHERE user_id = ?')
    .bind(user.userId)
    .first<{ n: number }>()
  return row?.n
}

describe('GET /v0/events', () => {
  it('answers at once with a stream that nobody keeps or compresses', async () => {
    const response = await open()
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('text/event-stream')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const reader = response.body?.getReader()
    const first = await reader?.read()
    reader?.releaseLock()
    expect(new TextDecoder().decode(first?.value)).toMatch(/^retry: 2000\nid: \d+\n\n$/)
  })

  it('W6: is 429 for the fourth of an account, and open again when one has ended', async () => {
    for (let streams = 0; streams < 3; streams++) expect((await open()).status).toBe(200)
    const refused = await open()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toBe('30')
    expect(await refused.json()).toMatchObject({ code: 'too_many_streams' })
    await opened.shift()?.body?.cancel()
    await vi.waitFor(async () => expect(await leases()).toBe(2), 60_000)
    expect((await open()).status).toBe(200)
  })

  it.each<[string[], string[]]>([
    [['store'], ['item.stored']],
    [['read'], ['deposit.credited', 'item.stored']],
    [['pay'], ['deposit.credited', 'item.stored']],
  ])('W7: tells a key with the scopes %j of %j', async (scopes, types) => {
    const body = { name: 'ci', scopes, spending: {} }
    const made = await fetchApi('POST', '/v0/user/keys', { token: user.token, body })
    const { key } = await made.json<{ key: string }>()
    await env.DB.batch(
      (['deposit.credited', 'item.stored'] as const).map((type) =>
        insertEventStatement(env.DB, { userId: user.userId, type, subject: 'x', data: '{}', at: Date.now() }),
      ),
    )
    const before = await env.DB.prepare('SELECT MAX(seq) - 2 AS seq FROM events').first<{ seq: number }>()
    const stream = await fetchApi('GET', '/v0/events', {
      ...{ token: key, headers: { 'Last-Event-ID': String(before?.seq) } },
    })
    const reader = stream.body?.getReader()
    let told = ''
    while (!told.includes('item.stored')) told += new TextDecoder().decode((await reader?.read())?.value)
    await reader?.cancel()
    expect([...told.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)).toEqual(types)
  })

  it('forgets a stream that was abandoned after half a minute', async () => {
    const insert = env.DB.prepare('INSERT INTO event_streams (id, user_id, expires_at) VALUES (?, ?, ?)')
    const at = Date.now()
    await env.DB.batch(['a', 'b', 'c'].map((id) => insert.bind(`${id}-${user.userId}`, user.userId, at - 1)))
    expect((await open()).status).toBe(200)
  })

  it('needs a token, and takes only an id that a stream sent', async () => {
    expect((await fetchApi('GET', '/v0/events')).status).toBe(401)
    const refused = await open({ 'Last-Event-ID': 'x' })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ code: 'invalid_field' })
    expect(await leases()).toBe(0)
    expect((await fetchApi('HEAD', '/v0/events', { token: user.token })).status).toBe(405)
  })
})
