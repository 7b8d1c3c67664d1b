import { describe, expect, it } from 'vitest'
import { createClient, type TokenStore } from '../../client/index.ts'

const token = (exp: number) => ['e30', btoa(JSON.stringify({ exp })), 'c2ln'].join('.')

/** A service that rotates refresh tokens on request; access tokens expire at once. */
function service() {
  const seen: { token: string; rotate?: boolean }[] = []
  const fetch = async (url: string, { body, method }: RequestInit) => {
    if (!url.endsWith('/v0/token') || method !== 'PUT') return Response.json({ targets: [] })
    const asked = JSON.parse(String(body))
    seen.push(asked)
    const answer = { accessToken: token(1), ...(asked.rotate && { refreshToken: `refresh${seen.length}` }) }
    return Response.json(answer, { status: 201 })
  }
  return { seen, fetch }
}

function storeOf(save: (token: string | undefined) => Promise<void> = async () => {}) {
  let kept: string | undefined = 'refresh0'
  const store: TokenStore = {
    load: async () => kept,
    async save(next) {
      await save(next)
      kept = next
    },
  }
  return store
}

async function askTwice(options: { tokens: TokenStore; rotate?: boolean }) {
  const { seen, fetch } = service()
  const client = createClient({ api: 'https://api.test', fetch, ...options })
  for (let times = 0; times < 2; times++) await client.request({ method: 'GET', path: '/v0/user' })
  return seen
}

describe('a refresh token', () => {
  it('is replaced at each renewal where that is asked for, and the new one is kept before it is used', async () => {
    const tokens = storeOf()
    const seen = await askTwice({ tokens, rotate: true })
    expect(seen).toEqual([
      { token: 'refresh0', rotate: true },
      { token: 'refresh1', rotate: true },
    ])
    expect(await tokens.load()).toBe('refresh2')
  })

  it('stays as it is where nobody asked, since not every store is shared by all who use it', async () => {
    const tokens = storeOf()
    expect(await askTwice({ tokens })).toEqual([{ token: 'refresh0' }, { token: 'refresh0' }])
    expect(await tokens.load()).toBe('refresh0')
  })

  it('that cannot be kept is never used: the one before stays good', async () => {
    const tokens = storeOf(() => Promise.reject(new Error('EROFS: read-only file system')))
    const seen = await askTwice({ tokens, rotate: true })
    expect(seen.map(({ token: used }) => used)).toEqual(['refresh0', 'refresh0'])
  })

  it('of a store that another run has written to is that one', async () => {
    let kept = 'refresh0'
    const tokens: TokenStore = { load: async () => kept, save: async () => {} }
    const { seen, fetch } = service()
    const client = createClient({ api: 'https://api.test', fetch, tokens, rotate: true })
    await client.request({ method: 'GET', path: '/v0/user' })
    kept = 'refresh-of-another'
    await client.request({ method: 'GET', path: '/v0/user' })
    expect(seen.map(({ token: used }) => used)).toEqual(['refresh0', 'refresh-of-another'])
  })
})
