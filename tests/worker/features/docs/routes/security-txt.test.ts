import { createExecutionContext } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { writeSecurityTxt } from '../../../../../worker/features/docs/routes/security-txt.ts'
import { answerRequest } from '../../../../../worker/hosts/answer-request.ts'
import { ConfigurationError, checkConfig } from '../../../../../worker/platform/config/config.ts'

const base = new URL('https://api.example')
const at = Date.parse('2026-11-22T10:30:00Z')
const settings = { ...env, SECURITY_CONTACT: 'mailto:security@api.example, https://api.example/contact' }

describe('security.txt', () => {
  it('names the contacts in their order, when it expires, and where it is from (RFC 9116)', () => {
    const security = { contacts: ['mailto:security@api.example', 'tel:+4912345'], policy: 'https://api.example/policy' }
    expect(writeSecurityTxt(security, base, at).split('\r\n')).toEqual([
      'Contact: mailto:security@api.example',
      'Contact: tel:+4912345',
      'Expires: 2027-05-21T00:00:00Z',
      'Canonical: https://api.example/.well-known/security.txt',
      'Policy: https://api.example/policy',
      '',
    ])
  })

  it.each(['api.example', 'storage.example'])('is served by %s as its operator set it', async (host) => {
    const request = new Request(`https://${host}/.well-known/security.txt`)
    const response = await answerRequest(request, settings, createExecutionContext())
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(await response.text()).toMatch(
      /^Contact: mailto:security@api.example\r\nContact: https:\/\/api.example\/contact\r\n/,
    )
    const known = { 'If-None-Match': response.headers.get('ETag') ?? '' }
    const again = await answerRequest(new Request(request, { headers: known }), settings, createExecutionContext())
    expect(again.status).toBe(304)
  })

  it('is not there where nobody is named', async () => {
    expect((await exports.default.fetch('https://api.example/.well-known/security.txt')).status).toBe(404)
  })

  it.each(['security@api.example', 'http://api.example', 'javascript:alert(1)', 'mailto:a@b\nContact: mailto:evil@b'])(
    'takes no contact such as %j',
    (contact) => {
      const config = checkConfig({ ...settings, SECURITY_CONTACT: contact })
      if (config instanceof ConfigurationError) expect(config.message).toContain('SECURITY_CONTACT')
      else expect(config.security?.contacts.join()).not.toMatch(/\s|^javascript/)
    },
  )
})
