import { exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'

const ITEM = 'a'.repeat(24)
const CID = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const ORIGIN = 'https://page.example'

const preflight = (url: string, method = 'GET') =>
  exports.default.fetch(url, {
    method: 'OPTIONS',
    headers: { Origin: ORIGIN, 'Access-Control-Request-Method': method, 'Access-Control-Request-Headers': 'range' },
  })

describe('a preflight', () => {
  it.each([
    ['retrieval', 'https://api.example/v0/web', 'POST'],
    ['the path gateway', `https://storage.example/ipfs/${CID}`, 'GET'],
    ['the host of a root', `https://${CID}.ipfs.storage.example/`, 'GET'],
    ['the host of an item', `https://${ITEM}.storage.example/`, 'GET'],
    ['the address of a site', 'https://almanac.storage.example/', 'GET'],
    ['a domain of somebody’s own', 'https://www.shop.example/', 'GET'],
  ])('of %s lets any page read', async (_, url, method) => {
    const response = await preflight(url, method)
    expect(response.status).toBe(204)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.get('Access-Control-Allow-Methods')).toContain(method)
    expect(response.headers.get('Access-Control-Allow-Headers')).toContain('Range')
    expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull()
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
  })

  it('of an account lets no page but the operator’s own in', async () => {
    const response = await preflight('https://api.example/v0/token', 'POST')
    expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([204, null])
  })
})

describe('OPTIONS', () => {
  it.each([
    ['/v0/web', 'POST, OPTIONS'],
    ['/v0/token', 'POST, PUT, PATCH, DELETE, OPTIONS'],
    [`/v0/blob/${ITEM}`, 'HEAD, OPTIONS'],
    ['/v0/payment/Bitcoin', 'GET, OPTIONS'],
    [`/ipfs/${CID}`, 'GET, HEAD, OPTIONS'],
    ['/hook.js', 'GET, HEAD, OPTIONS'],
  ])('of %s names its methods', async (path, allow) => {
    const response = await exports.default.fetch(`https://api.example${path}`, { method: 'OPTIONS' })
    expect([response.status, response.headers.get('Allow')]).toEqual([204, allow])
  })

  it.each([
    'https://api.example/nothing',
    'https://api.example/v0/nothing',
    'https://storage.example/v0/web',
    'https://a.nothing.storage.example/',
    `https://${ITEM}.storage.example/v0/web`,
  ])('of %s, where nothing is, is a 404', async (url) => {
    const response = await preflight(url)
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })])
  })
})
