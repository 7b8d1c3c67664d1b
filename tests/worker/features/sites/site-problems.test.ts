import { describe, expect, it } from 'vitest'
import { parseRedirects } from '../../../../worker/content/ipfs/gateway/redirects.ts'
import { parseHeadersFile } from '../../../../worker/features/sites/site-headers.ts'
import { type Api, uploadItem } from '../items/api.ts'
import { newUser } from '../payments/pay-for-items.ts'

const bytes = (text: string) => Uint8Array.from(new TextEncoder().encode(text))

interface Found {
  problems: { file: string; line: number; text: string; fault: string; effect: string }[]
  more: boolean
}

/** A merged directory, not paid, with these files beside its page. */
async function directoryOf(api: Api, files: Record<string, string>): Promise<string> {
  const made = await api.sendJson('POST', '/folder', { name: 'site', blockchain: 'IPFS' })
  const folder = (await made.json<{ id: string }>()).id
  for (const [name, text] of Object.entries({ 'index.html': '<p>', ...files })) {
    await uploadItem(api, bytes(text), { name, blockchain: 'IPFS', folder, mimetype: 'text/plain' })
  }
  const merged = await api.send('POST', `/folder/${folder}/merge`)
  return (await merged.json<{ id: string }>()).id
}

const problemsOf = async (api: Api, id: string) => await (await api.send('GET', `/item/${id}/problems`)).json<Found>()

const HEADERS = ['/*', '  X-Frame-Options: DENY', '  Set-Cookie: a=b', 'no path', '  Referrer-Policy', '/a*b*'].join(
  '\n',
)
const REDIRECTS = ['# old pages', '/a /b', '/c /d 418', 'e /f', '/g http:// 301'].join('\n')

describe('GET /v0/item/<id>/problems', () => {
  it('tells every faulty line with its text, its fault and what comes of it, before the item is paid', async () => {
    const { api } = await newUser()
    const { problems, more } = await problemsOf(
      api,
      await directoryOf(api, { _headers: HEADERS, _redirects: REDIRECTS }),
    )
    expect(more).toBe(false)
    expect(problems.map(({ file, line, text, effect }) => [file, line, text, effect])).toEqual([
      ['_headers', 3, '  Set-Cookie: a=b', 'ignored'],
      ['_headers', 4, 'no path', 'fails'],
      ['_headers', 5, '  Referrer-Policy', 'fails'],
      ['_headers', 6, '/a*b*', 'fails'],
      ['_redirects', 3, '/c /d 418', 'fails'],
      ['_redirects', 4, 'e /f', 'fails'],
      ['_redirects', 5, '/g http:// 301', 'fails'],
    ])
    expect(problems[0]?.fault).toBe('This line sets Set-Cookie, which a site cannot set. Remove it.')
    // The hosts name the same line first.
    expect(() => parseHeadersFile(HEADERS)).toThrow('line 4 ')
    expect(() => parseRedirects(REDIRECTS)).toThrow('line 3: status code 418 is not supported')
  })

  it('tells 100 at most, and that there are more', async () => {
    const { api } = await newUser()
    const found = await problemsOf(api, await directoryOf(api, { _redirects: 'x /y\n'.repeat(130) }))
    expect(found.problems).toHaveLength(100)
    expect(found.more).toBe(true)
  })

  it('tells of a file that is too large as a whole', async () => {
    const { api } = await newUser()
    const { problems } = await problemsOf(api, await directoryOf(api, { _headers: `#${'x'.repeat(64 * 1024)}` }))
    expect(problems).toEqual([
      { file: '_headers', line: 0, text: '', fault: expect.stringContaining('larger than'), effect: 'fails' },
    ])
  })

  it('has nothing to say of what has no such files', async () => {
    const { api } = await newUser()
    expect(await problemsOf(api, await directoryOf(api, {}))).toEqual({ problems: [], more: false })
    const id = await uploadItem(api, bytes('x'), { blockchain: 'IPFS' })
    const early = await api.send('GET', `/item/${id}/problems`)
    expect([early.status, await early.json()]).toEqual([409, expect.objectContaining({ code: 'not_merged' })])
    await api.send('POST', `/item/${id}/merge`)
    expect(await problemsOf(api, id)).toEqual({ problems: [], more: false })
    expect((await (await newUser()).api.send('GET', `/item/${id}/problems`)).status).toBe(404)
  })
})

describe('POST /v0/site/problems', () => {
  const check = async (files: object) => {
    const { api } = await newUser()
    return await (await api.sendJson('POST', '/site/problems', files)).json<Found>()
  }

  it('tells of files that were not sent what it tells of a merged directory', async () => {
    const { api } = await newUser()
    const merged = await directoryOf(api, { _headers: HEADERS, _redirects: REDIRECTS })
    expect(await check({ headers: HEADERS, redirects: REDIRECTS })).toEqual(await problemsOf(api, merged))
    expect(await check({})).toEqual({ problems: [], more: false })
    expect(await check({ redirects: 'x /y\n'.repeat(130) })).toMatchObject({ more: true })
  })

  it('tells of files that are too large', async () => {
    const long = `#${'ä'.repeat(32 * 1024)}`
    const { problems } = await check({ headers: long, redirects: long })
    expect(problems.map(({ file, line, effect }) => [file, line, effect])).toEqual([
      ['_headers', 0, 'fails'],
      ['_redirects', 0, 'fails'],
    ])
  })
})
