import { env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { generateKeyPair } from '@libp2p/crypto/keys'
import { createIPNSRecord, marshalIPNSRecord } from 'ipns'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { beforeAll, describe, expect, it } from 'vitest'
import { DagFixture } from '../dag-fixture.ts'
import { useScriptedHosts } from '../scripted-hosts.ts'

const hosts = useScriptedHosts()
const get = (path: string, init?: RequestInit) =>
  exports.default.fetch(`https://api.example${path}`, { redirect: 'manual', ...init })

async function makeName(type: 'Ed25519' | 'RSA' = 'Ed25519') {
  const key = await (type === 'RSA' ? generateKeyPair('RSA', 2048) : generateKeyPair('Ed25519'))
  const hash = key.publicKey.toMultihash()
  const cid = CID.decode(CID.createV1(0x72, { ...hash }).bytes)
  return {
    key,
    name: cid.toString(base36),
    peerId: base58btc.encode(cid.multihash.bytes).slice(1),
    record: async (value: string, sequence = 1, ttl = 60, lifetime = 3_600_000) =>
      marshalIPNSRecord(
        await createIPNSRecord(key, value, sequence, lifetime, { ttlNs: BigInt(ttl) * 1_000_000_000n }),
      ),
  }
}

function publish(name: string, record: Uint8Array) {
  hosts.answers.set('router.test', (request) =>
    new URL(request.url).pathname === `/routing/v1/ipns/${name}`
      ? new Response(new Uint8Array(record), { headers: { 'Content-Type': 'application/vnd.ipfs.ipns-record' } })
      : new Response(null, { status: 404 }),
  )
}

describe('/ipns/<key>', () => {
  let site: CID
  let file: CID

  beforeAll(async () => {
    const dag = new DagFixture()
    file = await dag.addFile('hello\n')
    site = await dag.addDirectory({ 'root2/root3/index.html': '<p>deep', 'root2/a.txt': 'text' })
    await dag.store()
  })

  it.each(['Ed25519', 'RSA'] as const)('serves what a record of an %s key points to', async (type) => {
    const { name, record } = await makeName(type)
    publish(name, await record(`/ipfs/${file}`))
    const response = await get(`/ipns/${name}`)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('hello\n')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'public, max-age=60',
      'x-ipfs-path': `/ipns/${name}`,
      'x-ipfs-roots': String(file),
      'ipfs-uri': `ipns://${name}`,
      etag: `"${file}"`,
    })
  })

  it('follows a record that points below a root', async () => {
    const { name, record } = await makeName()
    publish(name, await record(`/ipfs/${site}/root2`))
    expect(await (await get(`/ipns/${name}/a.txt`)).text()).toBe('text')
    const listing = await get(`/ipns/${name}/`)
    expect(await listing.text()).toContain('Index of')
    expect((await get(`/ipns/${name}/root3`)).headers.get('Location')).toBe(`/ipns/${name}/root3/`)
  })

  it('follows a record that points to another name', async () => {
    const [one, two] = [await makeName(), await makeName()]
    const records = new Map([
      [one.name, await one.record(`/ipns/${two.name}`)],
      [two.name, await two.record(`/ipfs/${file}`)],
    ])
    hosts.answers.set('router.test', (request) => {
      const record = records.get(new URL(request.url).pathname.split('/').at(-1) ?? '')
      return record ? new Response(new Uint8Array(record)) : new Response(null, { status: 404 })
    })
    expect(await (await get(`/ipns/${one.name}`)).text()).toBe('hello\n')
  })

  it('I9: gives up on names that point at each other', async () => {
    const [one, two] = [await makeName(), await makeName()]
    const records = new Map([
      [one.name, await one.record(`/ipns/${two.name}`)],
      [two.name, await two.record(`/ipns/${one.name}`)],
    ])
    hosts.answers.set('router.test', (request) => {
      const record = records.get(new URL(request.url).pathname.split('/').at(-1) ?? '')
      return record ? new Response(new Uint8Array(record)) : new Response(null, { status: 404 })
    })
    expect((await get(`/ipns/${one.name}`)).status).toBe(502)
  })

  it('sends a name in base58 to its spelling in base36', async () => {
    const { name, peerId } = await makeName()
    const response = await get(`/ipns/${peerId}/root2/?a=b`)
    expect([response.status, response.headers.get('Location')]).toEqual([302, `/ipns/${name}/root2/?a=b`])
  })

  it('gives the signed record itself', async () => {
    const { name, record } = await makeName()
    const bytes = await record(`/ipfs/${file}`, 1, 3155760000)
    publish(name, bytes)
    for (const request of [
      get(`/ipns/${name}?format=ipns-record`),
      get(`/ipns/${name}`, { headers: { Accept: 'application/vnd.ipfs.ipns-record' } }),
    ]) {
      const response = await request
      expect(response.status).toBe(200)
      expect(response.headers.get('Content-Type')).toBe('application/vnd.ipfs.ipns-record')
      expect(response.headers.get('Cache-Control')).toBe('public, max-age=3155760000')
      expect(response.headers.get('Content-Disposition')).toContain(`attachment; filename="${name}.ipns-record"`)
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(bytes))
    }
    expect((await get(`/ipns/${name}/path?format=ipns-record`)).status).toBe(400)
  })

  it('is a 502 for a record signed by another key', async () => {
    const [one, two] = [await makeName(), await makeName()]
    publish(one.name, await two.record(`/ipfs/${file}`))
    expect((await get(`/ipns/${one.name}`)).status).toBe(502)
  })

  it('is a 502 for a record that has run out', async () => {
    const { name, record } = await makeName()
    publish(name, await record(`/ipfs/${file}`, 1, 60, -1000))
    expect((await get(`/ipns/${name}`)).status).toBe(502)
  })

  it('is a 502 for a record with one bit changed', async () => {
    const { name, record } = await makeName()
    const bytes = await record(`/ipfs/${file}`)
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1
    publish(name, bytes)
    expect((await get(`/ipns/${name}`)).status).toBe(502)
  })

  it('I9: never goes back to an older record, and serves the known one while no router can be asked', async () => {
    const { name, record } = await makeName()
    const newer = await record(`/ipfs/${file}`, 7)
    await env.BUCKET.put(`ipfs/ipns/${name}`, newer)
    publish(name, await record(`/ipfs/${site}`, 6))
    expect(await (await get(`/ipns/${name}`)).text()).toBe('hello\n')

    const other = await makeName()
    await env.BUCKET.put(`ipfs/ipns/${other.name}`, await other.record(`/ipfs/${file}`, 7))
    hosts.answers.set('router.test', () => new Response(null, { status: 500 }))
    expect(await (await get(`/ipns/${other.name}`)).text()).toBe('hello\n')
  })
})

describe('DNSLink', () => {
  let site: CID
  const zone = new Map<string, string>()

  beforeAll(async () => {
    const dag = new DagFixture()
    site = await dag.addDirectory({ 'wiki/index.html': '<p>wiki' })
    await dag.store()
  })

  const resolve = () =>
    hosts.answers.set('resolver.example', (request) => {
      const name = new URL(request.url).searchParams.get('name') ?? ''
      const data = zone.get(name)
      const Answer = data ? [{ name, type: 16, TTL: 120, data: `"${data}"` }] : []
      return Response.json({ Status: data ? 0 : 3, Answer })
    })

  it('is followed on the path gateway', async () => {
    zone.set('_dnslink.en.wiki-on-ipfs.example', `dnslink=/ipfs/${site}`)
    resolve()
    const response = await get('/ipns/en.wiki-on-ipfs.example/wiki/')
    expect(await response.text()).toBe('<p>wiki')
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=120')
    expect(response.headers.get('Ipfs-Uri')).toBe('ipns://en.wiki-on-ipfs.example/wiki/')
  })

  it('is followed on a host of its own, inlined or not', async () => {
    zone.set('_dnslink.en.wiki-on-ipfs.example', `dnslink=/ipfs/${site}/wiki`)
    zone.set('_dnslink.plain.example', `dnslink=/ipfs/${site}/wiki`)
    resolve()
    for (const label of ['plain-example', 'plain.example']) {
      const response = await exports.default.fetch(`http://${label}.ipns.storage.example/`)
      expect(await response.text()).toBe('<p>wiki')
    }
  })

  it('makes a site of the domain itself', async () => {
    zone.set('_dnslink.dir.example', `dnslink=/ipfs/${site}`)
    resolve()
    const visit = (path: string) => exports.default.fetch(`http://dir.example${path}`, { redirect: 'manual' })
    const listing = await visit('/')
    expect(listing.headers.get('Ipfs-Uri')).toBe('ipns://dir.example/')
    const page = await listing.text()
    expect(page).toContain('/ipns/<a href="//dir.example/">dir.example</a>')
    expect(page).toMatch(
      /<a class="ipfs-hash" translate="no" href="https:\/\/cid\.ipfs\.tech\/#bafy\w+" target="_blank" rel="noreferrer noopener">/,
    )
    expect((await visit('/wiki')).headers.get('Location')).toBe('/wiki/')
    expect(await (await visit('/wiki/')).text()).toBe('<p>wiki')
    expect((await visit('/v0/health')).status).toBe(404)
  })

  it('is a 404 for a domain without one, and a 502 when the resolver cannot be asked', async () => {
    resolve()
    expect((await get('/ipns/none.example/')).status).toBe(404)
    hosts.answers.set('resolver.example', () => new Response(null, { status: 500 }))
    expect((await get('/ipns/other.example/')).status).toBe(502)
  })
})
