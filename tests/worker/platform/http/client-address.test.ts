import { describe, expect, it } from 'vitest'
import { parseFrontKey } from '../../../../worker/platform/config/parse-setting.ts'
import { clientAddress } from '../../../../worker/platform/http/client-address.ts'
import { signFront } from '../../../../worker/platform/http/sign-front.ts'

const NOW = 1_900_000_000_000
const KEY = new Uint8Array(32).fill(1)
const ON_CLOUDFLARE = { frontKey: undefined, onCloudflare: true }
const ELSEWHERE = { frontKey: undefined, onCloudflare: false }
const FRONT = { frontKey: KEY, onCloudflare: false }

function request(headers: Record<string, string>, clientIp?: string): Request {
  return new Request('https://api.example/', {
    headers,
    ...(clientIp === undefined ? {} : { cf: { clientIp } }),
  })
}
const cloudflare = (address: string) => request({ 'CF-Connecting-IP': address })
const front = (header: string) => request({ 'Hookline-Client-IP': header, 'CF-Connecting-IP': '192.0.2.9' })

describe('the address of a client', () => {
  it('is on Cloudflare what Cloudflare says, of IPv6 the /64, at one length', () => {
    expect(clientAddress(cloudflare('192.0.2.1'), ON_CLOUDFLARE, NOW)).toBe('192.0.2.1')
    expect(clientAddress(cloudflare('2001:DB8:0:12::7'), ON_CLOUDFLARE, NOW)).toBe('2001:0db8:0000:0012')
    expect(clientAddress(cloudflare('2001:db8::1:2:3:4:5'), ON_CLOUDFLARE, NOW)).toBe('2001:0db8:0000:0001')
    expect(clientAddress(cloudflare('::ffff:192.0.2.1'), ON_CLOUDFLARE, NOW)).toBe('192.0.2.1')
    expect(clientAddress(request({}), ON_CLOUDFLARE, NOW)).toBeUndefined()
  })

  it('is elsewhere that of the socket, and never what a client sends', () => {
    expect(clientAddress(cloudflare('192.0.2.1'), ELSEWHERE, NOW)).toBeUndefined()
    expect(clientAddress(request({ 'CF-Connecting-IP': '192.0.2.1' }, '203.0.113.7:5000'), ELSEWHERE, NOW)).toBe(
      '203.0.113.7',
    )
    expect(clientAddress(request({}, '[2001:db8::7]:5000'), ELSEWHERE, NOW)).toBe('2001:0db8:0000:0000')
  })

  it.each([
    ...['127.0.0.1:5', '10.1.2.3:5', '172.16.0.1:5', '192.168.1.1:5', '169.254.1.1:5', '100.64.0.1:5', '[::1]:5'],
    ...['[fd00::1]:5', '[fe80::1]:5', '[::ffff:127.0.0.1]:5', 'unix:/run/socket'],
  ])('is none where the socket is that of a proxy or this machine: %s', (peer) => {
    expect(clientAddress(request({}, peer), ELSEWHERE, NOW)).toBeUndefined()
  })

  it('is one of a private network where a trusted proxy named it', () => {
    const cf = { clientIp: '192.168.1.7', clientIsNamed: true }
    expect(clientAddress(new Request('https://api.example/', { cf }), ELSEWHERE, NOW)).toBe('192.168.1.7')
  })

  it('is what a front signed, for five minutes', () => {
    const header = signFront('2001:db8:0:12::7', KEY, NOW)
    for (const at of [NOW - 300_000, NOW + 300_000])
      expect(clientAddress(front(header), FRONT, at)).toBe('2001:0db8:0000:0012')
    for (const at of [NOW - 300_001, NOW + 300_001]) expect(clientAddress(front(header), FRONT, at)).toBeUndefined()
  })

  it('is not what somebody else signed, or changed', () => {
    const header = signFront('192.0.2.1', KEY, NOW)
    const changed = [header.replace('192.0.2.1', '192.0.2.2'), header.slice(0, -1), `${header}A`, '', '192.0.2.1']
    changed.push(signFront('192.0.2.1', new Uint8Array(32).fill(2), NOW))
    for (const one of changed) expect(clientAddress(front(one), FRONT, NOW)).toBeUndefined()
    expect(clientAddress(front(header), ELSEWHERE, NOW)).toBeUndefined()
  })
})

describe('FRONT_KEY', () => {
  it('is base64url of 32 bytes or more', () => {
    expect(parseFrontKey(undefined)).toBeUndefined()
    expect(parseFrontKey(Buffer.from(KEY).toString('base64url'))).toEqual(KEY)
    for (const text of ['short', `${'A'.repeat(42)}=`, 'A'.repeat(20)])
      expect(() => parseFrontKey(text)).toThrow(/32 bytes/)
  })
})
