import { env } from 'cloudflare:test'
import crypto from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fetchApi } from '../../fetch-api.ts'
import { addUser, logInQuickly, PASSWORD } from '../../sign-in.ts'
import { holdHashQueue } from './hold-hash-queue.ts'
import { sha256 } from './sha256.ts'
import { solvePuzzle } from './solve-puzzle.ts'

const NOW = Date.UTC(2027, 0, 1, 12)
const HOME = '2001:db8:1:1203::7'

beforeEach(async () => {
  vi.setSystemTime(NOW)
  await env.DB.prepare('DELETE FROM attempts').run()
})
afterEach(() => vi.useRealTimers())

async function logIn(email: string, { ip = HOME, proof = '', password = PASSWORD, path = '/v0/token' } = {}) {
  const headers = { 'CF-Connecting-IP': ip, 'Sec-Fetch-Site': 'same-origin', ...(proof && { 'Hookline-Proof': proof }) }
  const response = await fetchApi('POST', path, { body: { email, password }, headers })
  const body = await response.json<{ code?: string; puzzle?: { challenge: string; bits: number } }>()
  return { ...body, status: response.status, retryAfter: response.headers.get('Retry-After') }
}
/** Failures that happened before; `client` as they are counted: of IPv6 the /64, each group of four digits. */
async function fail(count: number, client: (n: number) => string, email?: string) {
  const insert = env.DB.prepare("INSERT INTO attempts (id, kind, address, client, at) VALUES (?, 'login', ?, ?, ?)")
  const digest = email === undefined ? undefined : sha256(email)
  const rows = Array.from({ length: count }, (_, n) =>
    insert.bind(crypto.randomUUID(), digest ?? `someone ${n}`, client(n), NOW),
  )
  await env.DB.batch(rows)
}
const group = (value: number) => value.toString(16).padStart(4, '0')
const anywhere = (n: number) => `198.51.100.${n % 25}`
async function puzzleOf(email: string, options: Parameters<typeof logIn>[1] = {}) {
  const { puzzle } = await logIn(email, options)
  if (!puzzle) throw new Error('No proof is asked for.')
  return puzzle
}

describe('a login is asked for a proof', () => {
  it.each([
    ['60 failures of its /56', 60, (n: number) => `2001:0db8:0001:12${group((n % 4) + 0x10).slice(2)}`],
    ['200 failures of its /48', 200, (n: number) => `2001:0db8:0001:${group(0x2000 + n)}`],
  ])('after %s, and logs in with one', async (_, count, client) => {
    const { email } = await addUser()
    await fail(count - 1, client)
    expect((await logIn(email)).status).toBe(200)
    await fail(1, client)
    const asked = await logIn(email)
    expect(asked).toMatchObject({ status: 429, code: 'proof_needed', retryAfter: '900', puzzle: { bits: 16 } })
    expect((await logIn(email, { ip: '2001:db8:2::1' })).status).toBe(200)
    const proof = solvePuzzle(await puzzleOf(email))
    expect((await logIn(email, { proof })).status).toBe(200)
  })

  it.each(['known', 'unknown'])('after 100 failures of a %s email address, in place of 429 for all', async (kind) => {
    const email = kind === 'known' ? (await addUser()).email : `${crypto.randomUUID()}@example.com`
    await fail(100, anywhere, email)
    const puzzle = await puzzleOf(email)
    const answers = [await logIn(email, { proof: solvePuzzle(puzzle) })]
    answers.push(await logIn(email, { proof: solvePuzzle(await puzzleOf(email)), password: 'Incorrect1' }))
    expect(answers.map(({ status }) => status)).toEqual(kind === 'known' ? [200, 401] : [401, 401])
  })

  it('at the console too', async () => {
    const { email } = await addUser()
    await fail(100, anywhere, email)
    const path = '/console/session'
    const proof = solvePuzzle(await puzzleOf(email, { path }))
    expect((await logIn(email, { path, proof })).status).toBe(200)
  })

  it('to change the password and to close the account too, beside 60 failures of its /56', async () => {
    const { email, accessToken, refreshToken } = await logInQuickly()
    await fail(60, (n) => `2001:0db8:0001:12${group((n % 4) + 0x10).slice(2)}`)
    const send = async (method: string, token: string, body: object, proof = '') => {
      const headers = { 'CF-Connecting-IP': HOME, 'Hookline-Proof': proof }
      const response = await fetchApi(method, '/v0/user', { token, body, headers })
      const { puzzle } =
        response.status === 429 ? await response.json<{ puzzle: { challenge: string; bits: number } }>() : {}
      return { status: response.status, puzzle }
    }
    const change = { password: PASSWORD, newPassword: 'Another1' }
    const { puzzle } = await send('PUT', accessToken, change)
    expect((await send('PUT', accessToken, change, puzzle && solvePuzzle(puzzle))).status).toBe(200)
    expect((await logIn(email, { ip: '192.0.2.1', password: 'Another1' })).status).toBe(200)
    const renewed = await fetchApi('PUT', '/v0/token', { body: { token: refreshToken } })
    const { accessToken: token } = await renewed.json<{ accessToken: string }>()
    const asked = await send('DELETE', token, { password: 'Another1' })
    expect(asked.status).toBe(429)
    const proof = asked.puzzle && solvePuzzle(asked.puzzle)
    expect((await send('DELETE', token, { password: 'Another1' }, proof)).status).toBe(204)
  })

  it('where too many hashes wait, in place of 503, before the database is asked; those with a proof wait in a queue of their own', async () => {
    const { email } = await addUser()
    await fail(100, anywhere, email)
    const proof = solvePuzzle(await puzzleOf(email))
    const open = holdHashQueue()
    const answers: number[] = []
    const others = Array.from({ length: 30 }, async (_, n) => {
      const answer = await logIn(`${crypto.randomUUID()}@example.com`, { ip: `192.0.2.${n}` })
      if (answer.status === 429) {
        expect(answer).toMatchObject({ code: 'proof_needed', retryAfter: '1', puzzle: { bits: 16 } })
        answers.push(answer.status)
      }
    })
    await vi.waitFor(() => expect(answers).toHaveLength(11), { timeout: 60_000 })
    const asked = vi.spyOn(env.DB, 'prepare')
    expect((await logIn(email, { ip: '192.0.2.40' })).code).toBe('proof_needed')
    expect(asked).not.toHaveBeenCalled()
    asked.mockRestore()
    const mine = logIn(email, { proof })
    open()
    expect((await mine).status).toBe(200)
    await Promise.all(others)
  })
})

describe('a proof', () => {
  it('is good once', async () => {
    const { email } = await addUser()
    await fail(100, anywhere, email)
    const proof = solvePuzzle(await puzzleOf(email))
    const answers = await Promise.all(Array.from({ length: 4 }, () => logIn(email, { proof })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429])
    const [refused] = answers.filter(({ status }) => status === 429)
    expect(refused).toMatchObject({ code: 'proof_needed', puzzle: { bits: 16 } })
  })

  it('is for the email address and the network that it was asked of, for five minutes', async () => {
    const [mine, other] = [await addUser(), await addUser()]
    await fail(100, anywhere, mine.email)
    await fail(100, anywhere, other.email)
    const proof = solvePuzzle(await puzzleOf(mine.email))
    expect((await logIn(other.email, { proof })).status).toBe(429)
    expect((await logIn(mine.email, { proof, ip: '2001:db8:9::1' })).status).toBe(429)
    vi.setSystemTime(NOW + 5 * 60_000)
    expect((await logIn(mine.email, { proof })).status).toBe(429)
    vi.setSystemTime(NOW + 5 * 60_000 - 1)
    expect((await logIn(mine.email, { proof })).status).toBe(200)
  })

  it('that has too few zero bits, or a challenge that is not ours, is none', async () => {
    const { email } = await addUser()
    await fail(100, anywhere, email)
    const { challenge } = await puzzleOf(email)
    const forged = `${challenge.startsWith('A') ? 'B' : 'A'}${challenge.slice(1)}`
    const cheap = solvePuzzle({ challenge, bits: 1 })
    for (const proof of [cheap, challenge, `${challenge}.`, 'x', solvePuzzle({ challenge: forged, bits: 16 })]) {
      expect(await logIn(email, { proof })).toMatchObject({ status: 429, code: 'proof_needed' })
    }
  })

  it('changes nothing about five failures for one address from one network, and twenty from one', async () => {
    const { email } = await addUser()
    await fail(100, anywhere, email)
    for (let n = 0; n < 5; n++) {
      const proof = solvePuzzle(await puzzleOf(email))
      expect((await logIn(email, { proof, password: 'Incorrect1' })).status).toBe(401)
    }
    expect(await logIn(email)).toMatchObject({ status: 429, code: 'too_many_requests' })
  })
})
