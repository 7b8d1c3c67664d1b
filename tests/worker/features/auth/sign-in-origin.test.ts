import { env } from 'cloudflare:test'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deviceName, signInOrigin } from '../../../../worker/features/auth/sign-in-origin.ts'
import { fetchApi } from '../../fetch-api.ts'
import { addUser, PASSWORD } from '../../sign-in.ts'

const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

describe('the device of a session', () => {
  it.each([
    [LINUX, 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
      'Chrome on iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['curl/8.14.1', 'curl'],
    ['', null],
    ['something else', null],
  ])('%s', (userAgent, device) => {
    expect(deviceName(userAgent)).toBe(device)
  })

  it('is made of words from here alone, whatever a header says', () => {
    const words = /^[A-Za-z ]{1,40}$/
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('Firefox/', 'Linux', '<b>', 'Chrome/1', ''), (text, part) => {
        const device = deviceName(text + part)
        expect(device === null || words.test(device)).toBe(true)
      }),
    )
  })
})

describe('the country of a session', () => {
  it.each([
    [{ country: 'DE' }, 'DE'],
    [{ country: 'XX' }, null],
    [{ country: 'T1' }, null],
    [{ country: '<b>' }, null],
    [undefined, null],
  ])('%j is %s', (cf, country) => {
    expect(signInOrigin({ headers: new Headers(), cf }).country).toBe(country)
  })
})

describe('GET /v0/user/sessions', () => {
  it('says of each what it was begun with and which is this one; one that is asked for beside another began where that did', async () => {
    const { email, userId } = await addUser()
    const logIn = async (userAgent: string) => {
      const body = { email, password: PASSWORD }
      const answer = await fetchApi('POST', '/v0/token', { body, headers: { 'User-Agent': userAgent } })
      return await answer.json<{ accessToken: string; refreshToken: string }>()
    }
    await logIn('curl/8.14.1')
    const { accessToken: token, refreshToken } = await logIn(LINUX)
    await fetchApi('PATCH', '/v0/token', { token, body: { token: refreshToken, exp: 3600 } })
    const listed = await fetchApi('GET', '/v0/user/sessions', { token })
    const { sessions } = await listed.json<{ sessions: { device: string; country: unknown; current: boolean }[] }>()
    const told = sessions.map(({ device, country, current }) => `${device} ${country} ${current}`)
    expect(told.toSorted()).toEqual(['Firefox on Linux null false', 'Firefox on Linux null true', 'curl null false'])
    const rows = await env.DB.prepare('SELECT * FROM sessions WHERE user_id = ?').bind(userId).all()
    expect(JSON.stringify(rows.results)).not.toContain('Gecko')
  })
})
