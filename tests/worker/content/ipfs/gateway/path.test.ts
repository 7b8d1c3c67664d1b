import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { errorCode, get } from '../gateway-request.ts'
import { useSamples } from '../sample-files.ts'

const { site, tricky } = await useSamples()

describe('the path', () => {
  const rows: [string, () => string, string, string | null, string][] = [
    ['trailing and doubled slashes', () => `/ipfs/${tricky}//a//b.txt`, '/a/b.txt', '/a/b.txt', 'nested'],
    [
      '%2F and dot segments, decoded once',
      () => `/ipfs/${tricky}/a%2F..%2Fplain%2Etxt`,
      '/plain.txt',
      '/plain.txt',
      'plain',
    ],
    ['%2F between names', () => `/ipfs/${tricky}/a%2Fb.txt`, '/a/b.txt', '/a/b.txt', 'nested'],
    ['delimiters of URLs', () => `/ipfs/${tricky}/a%23b%3Fc.txt`, '/a%23b%3Fc.txt', '/a#b?c.txt', 'delimiters'],
    ['what is outside ASCII', () => `/ipfs/${tricky}/emoji%F0%9F%9A%80.txt`, '/emoji%F0%9F%9A%80.txt', null, 'rocket'],
    [
      'sub-delimiters',
      () => `/ipfs/${tricky}/sub%20dir/file!'()*~.txt`,
      '/sub%20dir/file%21%27%28%29%2A~.txt',
      "/sub dir/file!'()*~.txt",
      'sub-delims',
    ],
    [
      'a name that looks percent-encoded',
      () => `/ipfs/${tricky}/Portugal%252C+Espa%c3%b1a=Peninsula%20Ib%C3%A9rica%2etxt`,
      '/Portugal%252C%2BEspa%C3%B1a%3DPeninsula%20Ib%C3%A9rica.txt',
      null,
      'percent',
    ],
    [
      'a query that is not of the path',
      () => `/ipfs/${tricky}/plain.txt?filename=x.txt&format=json`,
      '/plain.txt',
      '/plain.txt',
      'plain',
    ],
  ]
  it.each(rows)('with %s', async (_, path, uri, older, body) => {
    const response = await get(path())
    expect([response.status, await response.text()]).toEqual([200, body])
    expect(response.headers.get('Ipfs-Uri')).toBe(`ipfs://${tricky}${uri}`)
    expect(response.headers.get('X-Ipfs-Path')).toBe(older === null ? null : `/ipfs/${tricky}${older}`)
  })

  it('may begin with a root in any base', async () => {
    const v0 = CID.createV0(create(0x12, tricky.multihash.digest))
    for (const root of [v0.toString(), tricky.toString(base36), tricky.toString(base58btc)]) {
      const response = await get(`/ipfs/${root}/plain.txt`)
      expect([response.status, response.headers.get('Ipfs-Uri')]).toEqual([200, `ipfs://${tricky}/plain.txt`])
    }
  })

  it('R1: never leaves its root', async () => {
    for (const path of ['..%2F..%2Fv0%2Fhealth', 'a%2F..%2F..%2F..', '..%2F']) {
      expect(await errorCode(await get(`/ipfs/${tricky}/${path}`))).toBe('invalid_path')
    }
    for (const path of ['..;/plain.txt', '%2500', '%00', '..%5Cplain.txt']) {
      expect((await get(`/ipfs/${tricky}/${path}`)).status).toBe(404)
    }
    expect(await errorCode(await get(`/ipfs/${tricky}/%FF`))).toBe('invalid_path')
  })

  const refused: [string, number, string][] = [
    ['/ipfs/QmInvalidCID', 400, 'invalid_cid'],
    ['/ipfs/', 400, 'invalid_path'],
    ['/ipfs/bafkqabtimvwgy3yk?format=unknown', 400, 'unknown_format'],
    ['/ipfs/bafkqabtimvwgy3yk?format=ipns-record', 400, 'no_ipns_record'],
    ['/ipns/no_name', 400, 'invalid_name'],
  ]
  it.each(refused)('%s is a %i', async (path, status, expected) => {
    const response = await get(path)
    expect([response.status, await errorCode(response)]).toEqual([status, expected])
    expect(response.headers.get('Cache-Control')).toBe('no-store')
  })

  it('that does not exist says which part', async () => {
    const response = await get(`/ipfs/${site}/root2/none/deeper`)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('none')
  })

  it('R16: takes GET and HEAD only', async () => {
    const response = await get(`/ipfs/${site}`, { method: 'POST', body: 'x' })
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
  })
})
