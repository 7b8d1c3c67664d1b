import { createExecutionContext, env } from 'cloudflare:test'
import { base16 } from 'multiformats/bases/base16'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { sha512 } from 'multiformats/hashes/sha2'
import { beforeAll, describe, expect, it } from 'vitest'
import worker from '../../../../../worker/index.ts'
import { DagFixture } from '../dag-fixture.ts'

const HOST = 'storage.example'

/** Asks a Worker configured as `PATH_REDIRECT=true` and behind a trusted proxy. */
async function ask(
  url: string,
  init: RequestInit<IncomingRequestCfProperties> = {},
  vars: Record<string, string> = {},
): Promise<Response> {
  const bindings = { ...env, PATH_REDIRECT: 'true', ...vars }
  const request = new Request<unknown, IncomingRequestCfProperties>(url, { redirect: 'manual', ...init })
  return worker.fetch(request, bindings, createExecutionContext())
}

let site: CID
let hello: CID
const dag = new DagFixture()

beforeAll(async () => {
  hello = await dag.addFile('hello\n')
  site = await dag.addDirectory({
    hello: 'hello\n',
    'ipfs/file.txt': 'I am a txt file',
    'ipfs/ipns/bar': 'text-file-content',
    'ą/ę/file-źł.txt': 'utf8',
    'Portugal%2C+España=Peninsula Ibérica.txt': 'percent',
  })
  await dag.store()
})

describe('a path on the storage apex with PATH_REDIRECT', () => {
  const v0 = () => CID.createV0(create(0x12, site.multihash.digest))
  const rows: [string, () => string, () => string][] = [
    ['a CID', () => `/ipfs/${site}/`, () => `http://${site}.ipfs.${HOST}/`],
    ['a CID without a slash', () => `/ipfs/${hello}`, () => `http://${hello}.ipfs.${HOST}/`],
    ['a CIDv0', () => `/ipfs/${v0()}/`, () => `http://${site}.ipfs.${HOST}/`],
    ['a CID in base36', () => `/ipfs/${site.toString(base36)}/a?b=c`, () => `http://${site}.ipfs.${HOST}/a?b=c`],
    [
      'a percent-encoded path',
      () => `/ipfs/${site}/Portugal%252C+Espa%C3%B1a=Peninsula%20Ib%C3%A9rica.txt`,
      () => `http://${site}.ipfs.${HOST}/Portugal%252C+Espa%C3%B1a=Peninsula%20Ib%C3%A9rica.txt`,
    ],
    [
      'a domain, inlined into one label',
      () => '/ipns/en.wikipedia-on-ipfs.org/wiki/',
      () => `http://en-wikipedia--on--ipfs-org.ipns.${HOST}/wiki/`,
    ],
    [
      'a key in base58',
      () => '/ipns/12D3KooWRBy97UB99e3J6hiPesre1MZeuNQvfan4gBziswrRJsNK/root2/',
      () => `http://k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8.ipns.${HOST}/root2/`,
    ],
    [
      'an RSA key',
      () => '/ipns/QmcJM7PRfkSbcM5cf1QugM5R37TLRKyJGgBEhXjLTB8uA2',
      () => `http://k2k4r8ol4m8kkcqz509c1rcjwunebj02gcnm5excpx842u736nja8ger.ipns.${HOST}/`,
    ],
    [
      'an ipfs:// address',
      () => '/ipfs/?uri=ipfs%3A%2F%2Fbafy%2Fwiki%2FA%20B.html',
      () => '/ipfs/bafy/wiki/A%20B.html',
    ],
    [
      'an ipns:// address',
      () => '/ipns/?uri=ipns%3A%2F%2Fen.wikipedia-on-ipfs.org',
      () => '/ipns/en.wikipedia-on-ipfs.org',
    ],
  ]
  it.each(rows)('sends %s to its own origin', async (_, path, location) => {
    const response = await ask(`http://${HOST}${path()}`)
    expect([response.status, response.headers.get('Location')]).toEqual([301, location()])
  })

  it('says what is wrong with an invalid root', async () => {
    const response = await ask(`http://${HOST}/ipfs/QmInvalidCID`)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('invalid path "/ipfs/QmInvalidCID"')
  })

  it('refuses what no DNS label holds', async () => {
    const long = CID.createV1(0x55, await sha512.digest(new Uint8Array(1)))
    for (const url of [`http://${HOST}/ipfs/${long}`, `http://${long}.ipfs.${HOST}/`]) {
      const response = await ask(url)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('CID incompatible with DNS label length limit of 63')
    }
  })

  it('refuses an address for another scheme', async () => {
    const response = await ask(`http://${HOST}/ipfs/?uri=javascript%3Aalert(1)`)
    expect(response.status).toBe(400)
  })

  it.each([
    'ipfs://../../v0/user',
    'ipfs://%2e%2e/%2e%2e/v0/user',
    'ipfs://bafkqaaa/../../v0/user',
    'ipfs://bafkqaaa/../bafkqaba',
    'ipfs://./v0',
    'ipfs:///../v0/user',
    'ipns://example.com/a/../../../console',
    'ipfs://bafkqaaa\n/x',
  ])('refuses an address that leaves its root, and so /ipfs: %s', async (uri) => {
    const response = await ask(`http://${HOST}/ipfs/?uri=${encodeURIComponent(uri)}`)
    expect([response.status, response.headers.get('Location')]).toEqual([400, null])
  })

  it('takes an address whose path goes up within its root', async () => {
    const response = await ask(`http://${HOST}/ipfs/?uri=${encodeURIComponent('ipfs://bafkqaaa/a/../b?c=%20d')}`)
    expect([response.status, response.headers.get('Location')]).toEqual([301, '/ipfs/bafkqaaa/a/../b?c=%20d'])
  })

  it('answers itself on the API host, and on the apex without PATH_REDIRECT', async () => {
    expect((await ask(`https://api.example/ipfs/${hello}`)).status).toBe(200)
    expect((await ask(`http://${HOST}/ipfs/${hello}`, {}, { PATH_REDIRECT: 'false' })).status).toBe(200)
  })
})

describe('X-Forwarded-Host and X-Forwarded-Proto', () => {
  const headers = { 'X-Forwarded-Host': HOST, 'X-Forwarded-Proto': 'https' }

  it('count when the operator trusts them', async () => {
    const response = await ask(`http://fake.example/ipfs/${hello}`, { headers }, { TRUST_FORWARDED_HOST: 'true' })
    expect([response.status, response.headers.get('Location')]).toEqual([301, `https://${hello}.ipfs.${HOST}/`])
  })

  it('let a name of the proxy itself be a path gateway, and no other foreign name', async () => {
    const url = `http://fake.example/ipfs/${hello}`
    const unresolved = { DOH_URL: '' }
    const trusted = await ask(url, {}, { ...unresolved, TRUST_FORWARDED_HOST: 'true' })
    expect([trusted.status, await trusted.text()]).toEqual([200, 'hello\n'])
    expect((await ask(url, {}, unresolved)).status).toBe(404)
  })

  it('count for nothing otherwise', async () => {
    const response = await ask(`http://${HOST}/ipfs/${hello}`, {
      headers: { ...headers, 'X-Forwarded-Host': 'evil.example' },
    })
    expect(response.headers.get('Location')).toBe(`http://${hello}.ipfs.${HOST}/`)
  })
})

describe('<cid>.ipfs.<storage host>', () => {
  const get = (path: string, init?: RequestInit<IncomingRequestCfProperties>) =>
    ask(`http://${site}.ipfs.${HOST}${path}`, init)

  it('serves a file at the root', async () => {
    const response = await ask(`http://${hello}.ipfs.${HOST}`)
    expect([response.status, await response.text()]).toEqual([200, 'hello\n'])
    expect(response.headers.get('Content-Security-Policy')).toBeNull()
    expect(response.headers.get('X-Ipfs-Path')).toBe(`/ipfs/${hello}/`)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
  })

  it('does not mount /ipfs, but has directories of that name', async () => {
    expect((await get(`/ipfs/${hello}`)).status).toBe(404)
    expect(await (await get('/ipfs/file.txt')).text()).toBe('I am a txt file')
    expect(await (await get('/ipfs/ipns/bar')).text()).toBe('text-file-content')
  })

  it('has nothing of the API', async () => {
    expect((await get('/v0/health')).status).toBe(404)
    expect((await get('/v0/token', { method: 'POST', body: '{}' })).status).toBe(405)
    expect((await get('/hook.js')).status).toBe(404)
  })

  it('refuses as every other host does, with a sentence and a code', async () => {
    const missing = await get('/missing')
    expect(await missing.json()).toEqual({ message: expect.any(String), code: 'path_not_found' })
    const posted = await get('/hello', { method: 'POST' })
    expect(await posted.json()).toEqual({ message: expect.any(String), code: 'method_not_allowed' })
    expect([posted.status, posted.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('lists directories with links on its own origin and breadcrumbs through the apex', async () => {
    const root = await (await get('/')).text()
    expect(root).toContain('<a href="/hello">hello</a>')
    expect(root).toContain('<a href="/ipfs">ipfs</a>')
    expect(root).not.toContain('>..</a>')
    const deep = await (await get('/ipfs/ipns/')).text()
    expect(deep).toContain('<a href="/ipfs/ipns/..">..</a>')
    expect(deep).toContain('<a href="/ipfs/ipns/bar">bar</a>')
    expect(deep).toContain(
      `/ipfs/<a href="//${HOST}/ipfs/${site}">${site}</a>/<a href="//${HOST}/ipfs/${site}/ipfs">ipfs</a>/<a href="//${HOST}/ipfs/${site}/ipfs/ipns">ipns</a>`,
    )
  })

  it('sends a directory to its path with a slash, on the same origin', async () => {
    const response = await get('/%C4%85/%C4%99?x=1')
    expect([response.status, response.headers.get('Location')]).toEqual([301, '/%C4%85/%C4%99/?x=1'])
    const sly = await get('//ipfs/ipns')
    expect(sly.headers.get('Location')).toBe('/ipfs/ipns/')
  })

  const spellings: [string, () => string][] = [
    ['base16', () => site.toString(base16)],
    ['base36', () => site.toString(base36)],
  ]
  it.each(spellings)('sends %s to base32', async (_, label) => {
    const response = await ask(`http://${label()}.ipfs.${HOST}/a?b=c`)
    const expected = label().length > 63 ? [400, null] : [301, `http://${site}.ipfs.${HOST}/a?b=c`]
    expect([response.status, response.headers.get('Location')]).toEqual(expected)
  })

  it('I1: sends a CIDv0 whose letters a client kept to base32, and refuses what is no CID', async () => {
    const v0 = CID.createV0(create(0x12, site.multihash.digest))
    const moved = await ask(`http://${v0}.ipfs.${HOST}/a`, { headers: { Host: `${v0}.ipfs.${HOST}` } })
    expect([moved.status, moved.headers.get('Location')]).toEqual([301, `http://${site}.ipfs.${HOST}/a`])
    expect((await ask(`http://nonsense.ipfs.${HOST}/`)).status).toBe(400)
  })

  it('answers a preflight', async () => {
    const response = await get('/', { method: 'OPTIONS' })
    expect(response.headers.get('Access-Control-Allow-Methods')).toContain('GET')
  })
})

describe('<key>.ipns.<storage host>', () => {
  it('sends a key under another codec to its spelling as libp2p-key in base36', async () => {
    const key = CID.parse('k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8', base36)
    const dagPb = CID.createV1(0x70, key.multihash).toString(base36)
    const response = await ask(`http://${dagPb}.ipns.${HOST}/`)
    expect([response.status, response.headers.get('Location')]).toEqual([
      301,
      `http://${key.toString(base36)}.ipns.${HOST}/`,
    ])
  })
})
