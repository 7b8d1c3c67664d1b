import { env, exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { storeItem } from '../../../kit/store-item.ts'
import { DagFixture } from '../../content/ipfs/dag-fixture.ts'
import { fetchApi } from '../../fetch-api.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'
import { DOH_URL, type ScriptedResolver, scriptedResolver } from '../../scripted-resolver.ts'
import { signIn } from '../../sign-in.ts'

const START = 1_800_000_000_000

const nodes = useScriptedNodes()
const chain = [nodes['nativecoin.test']]
let resolver: ScriptedResolver
let user: Awaited<ReturnType<typeof signIn>>
let serial = 0

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
  resolver = scriptedResolver({})
  const mock = vi.mocked(globalThis.fetch)
  const askNode = mock.getMockImplementation() ?? fetch
  mock.mockImplementation((input, init) =>
    String(input).startsWith(DOH_URL) ? resolver.fetch(input) : askNode(input, init),
  )
  user = await signIn('admin')
})
afterEach(() => void vi.useRealTimers())

/** A directory whose pages all say which version they are of. */
async function directory(version: string, more: Record<string, string> = {}): Promise<string> {
  const dag = new DagFixture()
  const cid = await dag.addDirectory({
    'index.html': `<title>${version}</title>`,
    'app.js': `let version = '${version}'`,
    'same.txt': 'in all versions',
    '404.html': `<title>${version} has no such page</title>`,
    _redirects: `/moved /${version} 301\n`,
    _headers: `/*\n  Content-Language: x-${version}\n  Cache-Control: public, max-age=31536000, immutable\n`,
    ...more,
  })
  await dag.store()
  return storeItem(env.DB, { blockchain: 'IPFS', mimetype: 'text/html', cid: String(cid), owner: user.userId })
}

const page = (text: string, mimetype = 'text/html') =>
  storeItem(env.DB, {
    blockchain: 'Nativecoin',
    mimetype,
    owner: user.userId,
    txids: store(chain, brotliCompressSync(Buffer.from(text)), 60),
  })

const api = async (method: string, path: string, body?: unknown) => {
  const response = await fetchApi(method, path, { body, token: user.token })
  return response.status === 204 ? undefined : await response.json<{ id: string }>()
}
/** A site of these items, the first of them current. */
async function siteOf(first: string, ...others: string[]): Promise<string> {
  const site = await api('POST', '/v0/site', { name: 'x', item: first })
  const id = site?.id ?? ''
  for (const item of others) await api('POST', `/v0/site/${id}/versions`, { item })
  return id
}
const switchTo = (site: string, version: number) => api('PUT', `/v0/site/${site}/current`, { version })

function domainOf(site: string): string {
  const host = `www.site-${++serial}.example`
  resolver.zone = { ...resolver.zone, [host]: [['CNAME', `${site}.storage.example`]] }
  return host
}
const hostOf = (id: string) => `${id}.storage.example`
type Get = (host: string, path?: string, headers?: Record<string, string>) => Promise<Response>
const get: Get = (host, path = '/', headers = {}) =>
  exports.default.fetch(`https://${host}${path}`, { redirect: 'manual', headers })

describe('the host of a site', () => {
  it('lists no folder, not on its domains either: its 404.html, where the host of the item has a listing', async () => {
    const dag = new DagFixture()
    const cid = await dag.addDirectory({ 'a.txt': 'a', '404.html': '<title>Lost</title>' })
    await dag.store()
    const item = await storeItem(env.DB, { blockchain: 'IPFS', cid: String(cid), owner: user.userId })
    const site = await siteOf(item)
    for (const host of [hostOf(site), domainOf(site), domainOf(item)]) {
      const response = await get(host)
      expect([response.status, await response.text()]).toEqual([404, '<title>Lost</title>'])
    }
    expect(await (await get(hostOf(item))).text()).toContain('Index of')
  })

  it('shows its current version, and the next one after a switch', async () => {
    const site = await siteOf(await directory('one'), await page('<title>two</title>'))
    expect(await (await get(hostOf(site))).text()).toBe('<title>one</title>')
    await switchTo(site, 2)
    expect(await (await get(hostOf(site))).text()).toBe('<title>two</title>')
    await switchTo(site, 1)
    expect(await (await get(hostOf(site))).text()).toBe('<title>one</title>')
  })

  it('shows neither _headers nor _redirects of a version, which a gateway shows', async () => {
    const item = await directory('one')
    const site = await siteOf(item)
    for (const path of ['/_headers', '/_redirects']) {
      const response = await exports.default.fetch(`https://${site}.storage.example${path}`)
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.text()).toContain('one has no such page')
    }
    const cid = await env.DB.prepare('SELECT cid FROM items WHERE id = ?').bind(item).first<string>('cid')
    const gateway = await exports.default.fetch(`https://storage.example/ipfs/${cid}/_redirects`)
    expect([gateway.status, await gateway.text()]).toEqual([200, '/moved /one 301\n'])
  })

  it('shows nothing before its first version, and nothing once it is deleted', async () => {
    const empty = await api('POST', '/v0/site', { name: 'x' })
    expect((await get(hostOf(empty?.id ?? ''))).status).toBe(404)
    const site = await siteOf(await directory('one'))
    await get(hostOf(site))
    await api('DELETE', `/v0/site/${site}`)
    expect((await get(hostOf(site))).status).toBe(404)
  })

  it('sends nothing that is immutable or kept, on its own host or a domain, whatever its files ask for', async () => {
    const site = await siteOf(await directory('one'), await page('<title>two</title>'))
    const hosts = [hostOf(site), domainOf(site)]
    for (const version of [1, 2]) {
      await switchTo(site, version)
      for (const host of hosts) {
        for (const path of ['/', '/app.js', '/same.txt', '/nothing', '/moved']) {
          const responses = [await get(host, path), await get(host, path)]
          for (const response of responses) {
            const policy = response.headers.get('Cache-Control') ?? ''
            expect([host, path, policy]).toEqual([
              host,
              path,
              expect.stringMatching(/^(no-store|public, max-age=0, must-revalidate)$/),
            ])
          }
        }
      }
    }
  })

  it('leaves the versions their own hosts, where nothing changes', async () => {
    const [one, two] = [await directory('one'), await directory('two')]
    await siteOf(one, two)
    for (const [item, text] of [
      [one, 'one'],
      [two, 'two'],
    ] as const) {
      const response = await get(hostOf(item))
      expect(await response.text()).toBe(`<title>${text}</title>`)
    }
  })
})

describe('after a switch', () => {
  it('S5: each answer is of one version as a whole: page, redirect, headers and 404', async () => {
    const site = await siteOf(await directory('one'), await directory('two'))
    for (const [version, name] of [
      [2, 'two'],
      [1, 'one'],
    ] as const) {
      await switchTo(site, version)
      for (const path of ['/', '/app.js', '/nothing']) {
        const response = await get(hostOf(site), path)
        expect([response.headers.get('Content-Language'), await response.text()]).toEqual([
          `x-${name}`,
          expect.stringContaining(name),
        ])
      }
      expect((await get(hostOf(site), '/moved')).headers.get('Location')).toBe(`/${name}`)
    }
  })

  it('S5: no validator of one version holds for another, be the bytes the same', async () => {
    const site = await siteOf(await directory('one'), await directory('two'))
    const tag = (await get(hostOf(site), '/same.txt')).headers.get('ETag') ?? ''
    expect(tag).toMatch(/-v1"$/)
    const conditional = () => get(hostOf(site), '/same.txt', { 'If-None-Match': tag })
    const part = () => get(hostOf(site), '/same.txt', { Range: 'bytes=3-', 'If-Range': tag })
    expect([(await conditional()).status, (await part()).status]).toEqual([304, 206])
    await switchTo(site, 2)
    expect([(await conditional()).status, (await part()).status]).toEqual([200, 200])
  })

  it('the same bytes as another type are another answer', async () => {
    const text = '<b>the same</b>'
    const site = await siteOf(await page(text, 'text/plain'), await page(text, 'text/html'))
    const first = await get(hostOf(site))
    expect(first.headers.get('Content-Type')).toContain('text/plain')
    await switchTo(site, 2)
    const again = await get(hostOf(site), '/', { 'If-None-Match': first.headers.get('ETag') ?? '' })
    expect([again.status, again.headers.get('Content-Type')]).toEqual([200, expect.stringContaining('text/html')])
  })
})

describe('a version whose files make the site answer 500', () => {
  const put = async (method: string, path: string, body: unknown) => {
    const response = await fetchApi(method, path, { body, token: user.token })
    return { status: response.status, body: await response.json<{ id: string }>() }
  }
  /** A directory as the merge of a folder makes it: what looks for faults knows it by its folder. */
  const faulty = async (files: Record<string, string>) => {
    const id = await directory('bad', files)
    await env.DB.prepare('UPDATE items SET directory_of = id WHERE id = ?').bind(id).run()
    return id
  }

  it.each([
    ['_headers', { _headers: 'X-Frame-Options: DENY\n' }, 1],
    ['_redirects', { _redirects: '/ok /app.js 302\n/a javascript:alert(1) 302\n' }, 2],
  ])('is told by its %s before it is made current, and shown once that is confirmed', async (file, files, line) => {
    const bad = await faulty(files)
    const site = await siteOf(await directory('one'), bad)
    const refused = await put('PUT', `/v0/site/${site}/current`, { version: 2 })
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'site_fails',
        message: expect.stringContaining(`${file}, line ${line}`),
        problems: [{ file, line }],
      },
    })
    expect(await (await get(hostOf(site))).text()).toBe('<title>one</title>')
    expect(await put('PUT', `/v0/site/${site}/current`, { version: 2, confirm: true })).toMatchObject({
      status: 200,
      body: { version: 2 },
    })
    expect((await get(hostOf(site), file === '_headers' ? '/' : '/a')).status).toBe(500)
    // It is what was asked for: the same request again changes nothing and asks nothing.
    expect((await put('PUT', `/v0/site/${site}/current`, { version: 2 })).status).toBe(200)
  })

  it('is told before a site is made of it', async () => {
    const item = await faulty({ _headers: 'X-Frame-Options: DENY\n' })
    expect((await put('POST', '/v0/site', { name: 'x', item })).body).toMatchObject({ code: 'site_fails' })
    expect(await put('POST', '/v0/site', { name: 'x', item, confirm: true })).toMatchObject({ status: 201 })
  })

  it('is not one whose unsafe headers are passed over', async () => {
    const item = await faulty({ _headers: '/*\n  Set-Cookie: a=b\n' })
    const site = await siteOf(await directory('one'), item)
    expect((await put('PUT', `/v0/site/${site}/current`, { version: 2 })).status).toBe(200)
  })
})

describe('a denied item', () => {
  const deny = async (value: string) => {
    await api('PUT', '/v0/denied', { kind: 'item', value, reason: 'order 12/2026' })
    vi.setSystemTime(Date.now() + 60_000)
  }

  it('S6: is 451 through the site and its domain, answers in memory among them, and the other versions are not', async () => {
    const [bad, good] = [await directory('one'), await directory('two')]
    const site = await siteOf(bad, good)
    const hosts = [hostOf(site), domainOf(site)]
    for (const host of [...hosts, ...hosts]) expect((await get(host)).status).toBe(200)
    await deny(bad)
    for (const host of hosts) expect((await get(host)).status).toBe(451)
    await switchTo(site, 2)
    for (const host of hosts) expect((await get(host)).status).toBe(200)
  })

  it('may be a site itself, whatever version it shows', async () => {
    const [one, two] = [await directory('one'), await page('<title>two</title>')]
    const site = await siteOf(one, two)
    const hosts = [hostOf(site), domainOf(site)]
    for (const host of [...hosts, ...hosts]) await get(host)
    await deny(site)
    for (const host of hosts) expect((await get(host)).status).toBe(451)
    await switchTo(site, 2)
    for (const host of hosts) expect((await get(host)).status).toBe(451)
    expect((await get(hostOf(one))).status).toBe(200)
  })
})

describe('while D1 is out of reach', () => {
  it('a site goes on with the version that was known', async () => {
    const site = await siteOf(await directory('one'))
    expect((await get(hostOf(site))).status).toBe(200)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('D1_ERROR: Network connection lost.')
    })
    vi.setSystemTime(START + 40_000)
    expect(await (await get(hostOf(site))).text()).toContain('one')
  })
})
