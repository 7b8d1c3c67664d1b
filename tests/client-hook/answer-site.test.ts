import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerSite } from '../../client-hook/frames/answer-site.ts'
import { base32 } from '../../client-hook/frames/find-host.ts'
import { parseShellMessage } from '../../client-hook/frames/parse-message.ts'
import { SitePages } from '../../client-hook/frames/site-pages.ts'
import { ReaderError } from '../../reader/reader-error.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const FILES = new Map(
  Object.entries({ 'index.html': '<p>home', 'a b/index.html': '<p>inner', 'a b/x.css': 'p{}', '404.html': '<p>none' }),
)

/** The pages of a site; what is asked for a file that starts with `bad` is not what its CID says. */
function pages(failed: (error: unknown) => void = () => {}): SitePages {
  const find = (path: string) => {
    if (path.startsWith('bad')) throw new ReaderError('not_verified', 'The bytes are not those of the CID.')
    const [found] = [path, `${path}index.html`, `${path}/index.html`].filter((one) => FILES.has(one))
    return found === undefined
      ? undefined
      : { path: found, mediaType: 'text/html', bytes: bytesOf(FILES.get(found) ?? '') }
  }
  const contentAt = (path: string) => {
    const file = find(path)
    if (!file) throw new ReaderError('not_found', 'Nothing is there.')
    const { bytes, mediaType } = file
    const site = {
      root: 'bafy',
      place: '?q#x',
      path: file.path,
      script: '',
      complete: true,
      read: async (to: string) => find(to),
      open: async (to: string) => contentAt(to),
    }
    return { mediaType, bytes, site }
  }
  return new SitePages(contentAt('index.html'), failed)
}

const ask = (path: string, more: { method?: string; range?: string; isPage?: boolean } = {}) =>
  answerSite({ method: 'GET', range: null, isPage: false, ...more, path }, pages(), [['X-Policy', 'here']])
const textOf = (body: ArrayBuffer | null) => body && new TextDecoder().decode(body)

describe('what a site in a frame is answered', () => {
  it.each([
    ['/', { isPage: true }, 200, '<p>home'],
    ['/index.html?x=1', {}, 200, '<p>home'],
    ['/a%20b/', { isPage: true }, 200, '<p>inner'],
    ['/a%20b/x.css', {}, 200, 'p{}'],
    ['/a%20b/x.css', { method: 'HEAD' }, 200, null],
    ['/a%20b/x.css', { range: 'bytes=1-1' }, 206, '{'],
    ['/a%20b/x.css', { range: 'bytes=-1' }, 206, '}'],
    ['/a%20b/x.css', { range: 'lines=1-1' }, 200, 'p{}'],
    ['/a%20b/x.css', { range: 'bytes=9-' }, 416, null],
    ['/nowhere', { isPage: true }, 404, '<p>none'],
  ])('%s with %j is %i', async (path, more, status, text) => {
    const answer = await ask(path, more)
    expect([answer.status, textOf(answer.body)]).toEqual([status, text])
    expect(answer.headers).toContainEqual(['X-Policy', 'here'])
  })

  it('is led to a folder by its name', async () => {
    const { status, headers } = await ask('/a%20b?x', { isPage: true })
    expect([status, headers]).toEqual([301, expect.arrayContaining([['Location', '/a%20b/?x']])])
  })

  it('is told what is not verified, and so is the page', async () => {
    const told: unknown[] = []
    const request = { method: 'GET', path: '/bad.css', range: null, isPage: false }
    const answer = await answerSite(
      request,
      pages((error) => told.push(error)),
      [],
    )
    expect([answer.status, textOf(answer.body)]).toEqual([502, expect.stringContaining('not those of the CID')])
    expect(told).toMatchObject([{ code: 'not_verified' }])
  })

  it('opens first at the folder of its page, with query and fragment', () => expect(pages().start).toBe('/?q#x'))

  it('is never anything but its files, parts of them, or a sentence, whatever is asked', async () => {
    const words = fc.constantFrom(
      '/',
      'index.html',
      'a%20b',
      '..',
      '%',
      '%2e%2e',
      '?',
      '#',
      '404.html',
      'bad',
      '\\',
      ' ',
    )
    const request = fc.record({
      ask: fc.record(
        {
          method: fc.oneof(fc.constantFrom('GET', 'HEAD', 'POST'), fc.string()),
          path: fc.oneof(
            fc.array(words).map((parts) => `/${parts.join('')}`),
            fc.anything(),
          ),
          range: fc.oneof(
            fc.string().map((text) => `bytes=${text}`),
            fc.constantFrom('bytes=1-2', 'bytes=-0', null),
            fc.anything(),
          ),
          isPage: fc.oneof(fc.boolean(), fc.anything()),
        },
        { requiredKeys: [] },
      ),
    })
    const all = [...FILES.values()]
    await fc.assert(
      fc.asyncProperty(fc.oneof(request, fc.anything()), async (message) => {
        const said = parseShellMessage(message)
        if (!said || !('ask' in said)) return
        const { status, body } = await answerSite(said.ask, pages(), [])
        const text = textOf(body) ?? ''
        const isOfSite = all.some((file) => file.includes(text))
        expect(isOfSite ? [200, 206, 301, 404, 416].includes(status) : [404, 405, 502].includes(status)).toBe(true)
      }),
      { numRuns: 10_000 },
    )
  })
})

describe('base32', () => {
  it.each([
    ['', ''],
    ['f', 'my'],
    ['fo', 'mzxq'],
    ['foo', 'mzxw6'],
    ['foobar', 'mzxw6ytboi'],
  ])('of %j is %j, as RFC 4648 has it', (text, encoded) => expect(base32(bytesOf(text))).toBe(encoded))

  it('of 32 bytes has 52 characters', () => expect(base32(new Uint8Array(32).fill(255))).toMatch(/^[a-z2-7]{52}$/))
})

describe('media in a frame', () => {
  it('tells each code once, however often a player asks again', async () => {
    const codes = ['not_verified', 'not_verified', 'network', 'not_verified'] as const
    const left = [...codes]
    const read = async () => {
      throw new ReaderError(left.shift() ?? 'network', 'It could not be read.')
    }
    const told: unknown[] = []
    const shown = pages((error) => told.push(error instanceof ReaderError && error.code))
    for (const _ of codes) {
      await expect(shown.readMedia({ root: '00', size: 9, read }, 0, 8)).rejects.toThrow('It could not be read.')
    }
    expect(told).toEqual(['not_verified', 'network'])
  })
})
