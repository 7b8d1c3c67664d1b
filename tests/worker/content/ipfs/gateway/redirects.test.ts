import { exports } from 'cloudflare:workers'
import fc from 'fast-check'
import type { CID } from 'multiformats/cid'
import { beforeAll, describe, expect, it } from 'vitest'
import { keepQuery, matchRedirect, parseRedirects } from '../../../../../worker/content/ipfs/gateway/redirects.ts'
import { DagFixture } from '../dag-fixture.ts'

const EXAMPLES = `# of the specification
/redirect-one /one.html
/301-redirect-one /one.html 301
/302-redirect-two /two.html 302
/200-index /index.html 200
/posts/:year/:month/:day/:title /articles/:year/:month/:day/:title 301
/splat/* /redirected-splat/:splat 301
/elsewhere/:id https://example.com/:id 302
/dir /sub 200
/umlaut /ü-日本 302
/not-found/* /404.html 404
/gone/* /410.html 410
/unavail/* /451.html 451
/* /index.html 200
`

const FILES = {
  'index.html': 'my index',
  'one.html': 'my one',
  '404.html': 'my 404',
  '410.html': 'my 410',
  '451.html': 'my 451',
  'sub/index.html': 'my sub',
}

const roots = new Map<string, CID>()
const dag = new DagFixture()

beforeAll(async () => {
  const files = (redirects: string) => ({ ...FILES, _redirects: redirects })
  roots.set('examples', await dag.addDirectory(files(EXAMPLES)))
  roots.set('crlf', await dag.addDirectory(files('/redirect-one /one.html\r\n')))
  const rules = '/old /new.html 302\n/q /new.html?a=2 302\n/ext https://example.com/ 302\n'
  roots.set('query', await dag.addDirectory(files(`${rules}/code/:code/:name /new.html?code=:code&name=:name 302\n`)))
  roots.set('forced', await dag.addDirectory(files('/a /one.html 301!\n')))
  roots.set('bad-code', await dag.addDirectory(files('/a /one.html 999\n')))
  roots.set('too-large', await dag.addDirectory(files(`/a /one.html\n${'#'.repeat(65_536)}`)))
  roots.set('loop', await dag.addDirectory(files('/a /b 200\n/b /a 200\n')))
  await dag.store()
})

const get = (name: string, path: string, host?: string) =>
  exports.default.fetch(
    host ? `http://${host}/ipfs/${roots.get(name)}${path}` : `http://${roots.get(name)}.ipfs.storage.example${path}`,
    { redirect: 'manual' },
  )

describe('_redirects on a host of its own', () => {
  const redirects: [string, string, number, string][] = [
    ['examples', '/redirect-one', 301, '/one.html'],
    ['examples', '/301-redirect-one', 301, '/one.html'],
    ['examples', '/302-redirect-two', 302, '/two.html'],
    ['examples', '/posts/2022/01/01/hello-world', 301, '/articles/2022/01/01/hello-world'],
    ['examples', '/posts/2022/01/01/a%20b%2523', 301, '/articles/2022/01/01/a%20b%2523'],
    ['examples', '/splat/one.html', 301, '/redirected-splat/one.html'],
    ['examples', '/splat/a/b', 301, '/redirected-splat/a/b'],
    ['examples', '/elsewhere/7', 302, 'https://example.com/7'],
    ['examples', '/umlaut', 302, '/%C3%BC-%E6%97%A5%E6%9C%AC'],
    ['crlf', '/redirect-one', 301, '/one.html'],
    ['query', '/old?x=1', 302, '/new.html?x=1'],
    ['query', '/q?x=1', 302, '/new.html?a=2&x=1'],
    ['query', '/ext?x=1', 302, 'https://example.com/?x=1'],
    ['query', '/old?flag&q=a%20b', 302, '/new.html?flag&q=a%20b'],
    ['query', '/code/A/name?d=1', 302, '/new.html?code=A&d=1&name=name'],
  ]
  it.each(redirects)('%s: %s is a %i to %s', async (name, path, status, location) => {
    const response = await get(name, path)
    expect([response.status, response.headers.get('Location')]).toEqual([status, location])
  })

  const pages: [string, number, string][] = [
    ['/200-index', 200, 'my index'],
    ['/catch-all', 200, 'my index'],
    ['/dir', 200, 'my sub'],
    ['/one.html', 200, 'my one'],
    ['/not-found/x', 404, 'my 404'],
    ['/gone/x', 410, 'my 410'],
    ['/unavail/x', 451, 'my 451'],
  ]
  it.each(pages)('%s is a %i with %s', async (path, status, body) => {
    const response = await get('examples', path)
    expect([response.status, await response.text()]).toEqual([status, body])
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=29030400, immutable')
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  })

  it('gives a custom page the tag of its file', async () => {
    const page = await dag.addFile('my 404')
    expect((await get('examples', '/not-found/x')).headers.get('ETag')).toBe(`"${page}"`)
  })

  const broken: [string, string][] = [
    ['forced', 'forced redirects (or "shadowing") are not supported'],
    ['bad-code', 'status code 999 is not supported'],
    ['too-large', 'redirects file size cannot exceed'],
  ]
  it.each(broken)('%s: is a 500 that says why, and only for what does not exist', async (name, problem) => {
    const response = await get(name, '/not-there')
    expect(response.status).toBe(500)
    const text = await response.text()
    expect(text).toContain('could not parse _redirects:')
    expect(text).toContain(problem)
    expect(await (await get(name, '/one.html')).text()).toBe('my one')
  })

  it('I11: does not follow rewrites to what does not exist either', async () => {
    expect((await get('loop', '/a')).status).toBe(404)
  })

  it('counts for nothing on a path gateway', async () => {
    expect((await get('examples', '/redirect-one', 'storage.example')).status).toBe(404)
  })
})

describe('parseRedirects', () => {
  const bad: [string, string][] = [
    ['from without a slash', 'a /b'],
    ['a rewrite to another origin', '/a https://evil.example/ 200'],
    ['I11: javascript:', '/a javascript:alert(1)'],
    ['a protocol-relative target', '/a //evil.example/'],
    ['a placeholder for the host', '/:x https://:x/'],
    ['an asterisk in the middle', '/a/*/b /c'],
    ['one field', '/a'],
    ['four fields', '/a /b 301 x'],
  ]
  it.each(bad)('refuses %s', (_, line) => {
    expect(() => parseRedirects(line)).toThrow('could not parse _redirects: line 1')
  })

  it('I11: refuses more rules than a request should try', () => {
    expect(() => parseRedirects('/a /b\n'.repeat(2001))).toThrow('more than 2000 rules')
  })

  it('throws nothing but its own error, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('/', ':', '*', ' ', '\n', 'a', '3', '0', '1', '!', '#') }),
        (text) => {
          try {
            matchRedirect(parseRedirects(text), ['a', '3'])
          } catch (error) {
            expect(error).toMatchObject({ code: 'invalid_redirects' })
          }
        },
      ),
    )
  })

  it('never leads to another host by way of a placeholder', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (segments) => {
        const clean = segments.filter((segment) => !segment.includes('/') && segment.isWellFormed())
        const match = matchRedirect(parseRedirects('/* /:splat 301'), clean)
        expect(match?.to.startsWith('//')).toBe(false)
        expect(new URL(match?.to ?? '/', 'http://site.example').hostname).toBe('site.example')
      }),
    )
  })
})

describe('I11: rules made to hurt', () => {
  it('lead to no address that is longer than servers take', () => {
    const rules = parseRedirects(`/* /${':splat'.repeat(1000)}`)
    expect(() => matchRedirect(rules, ['x'.repeat(16_000)])).toThrow(
      expect.objectContaining({ status: 500, code: 'invalid_redirects' }),
    )
    expect(matchRedirect(rules, ['x'])?.to).toBe(`/${'x'.repeat(1000)}`)
  })

  it('of nothing but placeholders are tried without encoding the path for each', () => {
    const rules = parseRedirects(`/${':a/'.repeat(100)}x /y\n`.repeat(200))
    const segments = Array.from({ length: 101 }, () => 'é'.repeat(80))
    for (let time = 0; time < 20; time++) expect(matchRedirect(rules, segments)).toBeUndefined()
  })
})

describe('the query of a redirect', () => {
  const rows: [string, string, string, string][] = [
    ['is the request’s, as it is written', '/a', '?flag&q=a%20b&=&&q=a+b&%7E', '/a?flag&q=a%20b&=&&q=a+b&%7E'],
    ['is the rule’s where the request has none', '/a?b=%20&c#d', '', '/a?b=%20&c#d'],
    ['has both, in the order of their names', '/t?s1=1&s2=2', '?d1=1&d2=2', '/t?d1=1&d2=2&s1=1&s2=2'],
    ['has those of the rule between the others', '/t?name=b&code=a', '?d=1&e=2', '/t?code=a&d=1&e=2&name=b'],
    ['leaves the order of the request', '/t?m=1', '?z=1&a=2', '/t?m=1&z=1&a=2'],
    ['takes the request’s values of a name, all of them', '/t?a=1&b=2&a=3', '?a=4&a=5', '/t?a=4&a=5&b=2'],
    ['knows a name however it is written', '/t?%61b=1', '?a%62=2', '/t?a%62=2'],
    ['is in front of the fragment', '/t#top', '?a', '/t?a#top'],
    ['is in front of a fragment with a question mark', '/t#top?no', '?a', '/t?a#top?no'],
    ['follows an empty one', '/t?', '?a', '/t?a'],
    ['is added to another host', 'https://b.example', '?a=1', 'https://b.example?a=1'],
  ]
  it.each(rows)('%s', (_, to, search, location) => expect(keepQuery(to, search)).toBe(location))

  it('loses and rewrites no parameter of the request, whatever the rule', () => {
    const query = fc.stringMatching(/^[a-c=&%~+]{1,12}$/)
    fc.assert(
      fc.property(query, query, fc.constantFrom('/t', '/t#f', 'https://b.example/'), (own, search, to) => {
        const [path = '', fragment] = to.split('#')
        const location = keepQuery(`${path}?${own}${fragment === undefined ? '' : `#${fragment}`}`, `?${search}`)
        const merged = (location.split('?')[1] ?? '').split('#')[0]?.split('&') ?? []
        const left = [...merged]
        for (const text of search.split('&')) {
          const at = left.indexOf(text)
          expect(at).toBeGreaterThanOrEqual(0)
          left.splice(0, at + 1)
        }
        expect(location.startsWith(path)).toBe(true)
      }),
    )
  })
})
