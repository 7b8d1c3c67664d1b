import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fetchApi } from '../../fetch-api.ts'
import { openOutbox } from '../../outbox.ts'
import { addUser } from '../../sign-in.ts'
import { postForm } from './post-form.ts'

describe('the pages behind mailed links', () => {
  let outbox: ReturnType<typeof openOutbox>
  beforeEach(() => {
    outbox = openOutbox()
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  async function pageFor(what: 'verify' | 'password') {
    const { email } = await addUser({ status: 2 })
    await fetchApi('POST', `/v0/user/${what}/send`, { body: { email } })
    await vi.waitFor(() => expect(outbox.mails).toHaveLength(1), { timeout: 60_000 })
    return { email, response: await fetchApi('GET', outbox.lastLink(email)) }
  }

  it.each(['verify', 'password'] as const)('run nothing, load nothing and tell nobody: %s', async (what) => {
    const { response } = await pageFor(what)
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
    const html = await response.text()
    const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(response.headers.get('Content-Security-Policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    expect(html).not.toMatch(/<script|<img|<link| style=| on\w+=|http/)
  })

  it.each(['verify', 'password'] as const)(
    'have one form with one button that posts to where they are: %s',
    async (what) => {
      const { email, response } = await pageFor(what)
      const html = await response.text()
      expect(html.match(/<form/g)).toHaveLength(1)
      expect(html.match(/<button/g)).toHaveLength(1)
      expect(html).toContain(`<form method="post" action="/v0/user/${what}">`)
      expect(html).toContain('<html lang="en">')
      expect(html).toContain(email)
    },
  )

  it('escape what they show', async () => {
    for (const path of ['verify', 'password']) {
      const shown = await fetchApi('GET', `/v0/user/${path}?token=${encodeURIComponent('"><script>alert(1)</script>')}`)
      expect(shown.status).toBe(400)
      expect(await shown.text()).not.toContain('<script>')
    }
  })

  it('escape an address that the documented pattern lets through', async () => {
    const email = `${crypto.randomUUID()}@example&com`
    await addUser({ email, status: 2 })
    await fetchApi('POST', '/v0/user/verify/send', { body: { email } })
    await vi.waitFor(() => expect(outbox.mails).toHaveLength(1), { timeout: 60_000 })
    const html = await (await fetchApi('GET', outbox.lastLink(email))).text()
    expect(html).toContain('@example&amp;com')
  })

  it.each([
    ['no token', {}, 400],
    ['a wrong token', { token: 'x' }, 400],
  ])('answer a form with %s by a page too', async (_, form: Record<string, string>, status) => {
    for (const path of ['verify', 'password']) {
      const response = await postForm(`/v0/user/${path}`, form)
      expect(response.status).toBe(status)
      expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    }
  })

  it('take forms only, and small ones', async () => {
    expect((await fetchApi('POST', '/v0/user/verify', { body: { token: 'x' } })).status).toBe(415)
    expect((await postForm('/v0/user/verify', { token: 'x'.repeat(9000) })).status).toBe(413)
  })
})
