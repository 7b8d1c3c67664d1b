import { exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { errorPage } from '../../../../worker/platform/http/error-page.ts'

const CID = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
/** What a browser sends when a person opens an address, and nobody else can. */
const opened = { headers: { 'Sec-Fetch-Mode': 'navigate', Accept: 'text/html,*/*;q=0.8' } }
const get = (url: string, init: RequestInit = {}) => exports.default.fetch(url, { redirect: 'manual', ...init })

describe('an error', () => {
  it.each([
    ['the API host', 'https://api.example/nothing'],
    ['the host of content', 'https://storage.example/nothing'],
    ['the host of an item', `https://${'a'.repeat(24)}.storage.example/`],
    ['the host of a CID', `https://${CID}.ipfs.storage.example/nothing`],
    ['a host that nobody knows', 'https://www.unknown.example/'],
  ])('of %s is a page for a person who has opened the address, with the status it has for programs', async (_, url) => {
    const [page, other] = await Promise.all([get(url, opened), get(url)])
    expect(page.status).toBe(other.status)
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('Cache-Control')).toBe('no-store')
    expect(await page.text()).toContain('<h1>')
    expect(other.headers.get('Content-Type')).not.toContain('html')
  })

  it('of an endpoint is JSON for everyone', async () => {
    const response = await get('https://api.example/v0/nothing', opened)
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })])
  })

  it('says nothing in its page that would be markup', async () => {
    const page = await errorPage({ status: 404, code: 'not_found', message: 'There is no <img src=x> here.' })
    expect(await page.text()).toContain('<p>There is no &lt;img src=x&gt; here.</p>')
  })
})

describe('the bare address of the API', () => {
  it('leads a browser to the console', async () => {
    const response = await get('https://api.example/', opened)
    expect([response.status, response.headers.get('Location')]).toEqual([302, '/console'])
  })
})
