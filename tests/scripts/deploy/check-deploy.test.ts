import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { checkDeploy } from '../../../scripts/deploy/check-deploy.ts'
import { SETTINGS } from './settings.ts'

function problemsOf(change: Record<string, string | undefined>): string[] {
  const checked = checkDeploy({ ...SETTINGS, ...change })
  return 'problems' in checked ? checked.problems : []
}

describe('a configuration for Cloudflare', () => {
  it('is accepted when everything is there, without a warning', () => {
    expect(checkDeploy(SETTINGS)).toMatchObject({ warnings: [], variables: { STORAGE_HOST: 'hookline-content.net' } })
  })

  it('uses a public resolver by default', () => {
    expect(checkDeploy(SETTINGS)).toMatchObject({
      variables: { DOH_URL: 'https://cloudflare-dns.com/dns-query' },
    })
    expect(checkDeploy({ ...SETTINGS, DOH_URL: 'https://dns.quad9.net/dns-query' })).toMatchObject({
      variables: { DOH_URL: 'https://dns.quad9.net/dns-query' },
    })
  })

  it('expects main networks by default; a chain of one’s own has to be named', () => {
    const checked = checkDeploy({ ...SETTINGS, GENESIS_DOGECOIN: 'cd'.repeat(32) })
    expect(checked).toMatchObject({
      variables: { GENESIS_BITCOIN: expect.stringMatching(/^0{10}19d668/), GENESIS_DOGECOIN: 'cd'.repeat(32) },
    })
    expect(problemsOf({ GENESIS_NATIVECOIN: undefined }).join()).toMatch(/^GENESIS_NATIVECOIN is missing/)
    expect(problemsOf({ GENESIS_BITCOIN: 'main' }).join()).toMatch(/GENESIS_BITCOIN is not a block hash/)
  })

  it.each<[string, Record<string, string | undefined>, RegExp]>([
    ['an RPC URL by IP address', { RPC_BITCOIN: 'https://u:secret@192.0.2.1/' }, /^RPC_BITCOIN is an IP address/],
    ['an RPC URL by IPv6 address', { RPC_BITCOIN: 'https://u:secret@[2001:db8::1]/' }, /^RPC_BITCOIN is an IP address/],
    ['an RPC URL by an address in disguise', { RPC_BITCOIN: 'https://u:secret@0x7f.1/' }, /IP address/],
    ['an RPC URL on loopback', { RPC_DOGECOIN: 'https://u:secret@localhost:8332/' }, /^RPC_DOGECOIN is this machine/],
    ['a private name', { RPC_DOGECOIN: 'https://u:secret@node.internal/' }, /public DNS does not have/],
    [
      'a second RPC URL that is wrong',
      { RPC_BITCOIN: 'https://a.io/,http://b.io/' },
      /^RPC_BITCOIN \(place 2\) is not https/,
    ],
    ['an RPC URL in the clear', { RPC_NATIVECOIN: 'http://u:secret@node.io/' }, /^RPC_NATIVECOIN is not https/],
    ['a gateway on loopback', { IPFS_GATEWAYS: 'https://127.0.0.1:8080' }, /^IPFS_GATEWAYS is an IP address/],
    ['an API in the clear', { BASE_URL: 'http://api.hookline.io' }, /^BASE_URL is not https/],
    ['an API on a port', { BASE_URL: 'https://api.hookline.io:8443' }, /^BASE_URL has a port/],
    ['the values of a machine of one’s own', { BASE_URL: 'http://127.0.0.1:8787' }, /^BASE_URL is an IP address/],
    ['the example’s hosts', { BASE_URL: 'https://api.hookline.example' }, /^BASE_URL is a name that public DNS/],
    ['a storage host on this machine', { STORAGE_HOST: 'storage.localhost:8787' }, /^STORAGE_HOST is this machine/],
    ['content beside the API', { STORAGE_HOST: 'content.hookline.io' }, /^STORAGE_HOST shares a site/],
    ['content under the API', { STORAGE_HOST: 'content.api.hookline.io' }, /^STORAGE_HOST shares a site/],
    ['content above the API', { STORAGE_HOST: 'hookline.io' }, /^STORAGE_HOST shares a site/],
    [
      'content on the registrable domain of a deeper API',
      { BASE_URL: 'https://api.eu.hookline.io', STORAGE_HOST: 'content.hookline.io' },
      /^STORAGE_HOST shares a site/,
    ],
    [
      'content on the registrable domain of the API below a suffix of two labels',
      { BASE_URL: 'https://api.hookline.co.uk', STORAGE_HOST: 'content.hookline.co.uk' },
      /^STORAGE_HOST shares a site/,
    ],
    [
      'content on the suffix of a company that is the API’s host as well',
      { BASE_URL: 'https://pages.dev', STORAGE_HOST: 'pages.dev' },
      /^STORAGE_HOST shares a site/,
    ],
    ['webhooks to this machine', { WEBHOOK_LOOPBACK: 'true' }, /^WEBHOOK_LOOPBACK is set/],
    ['an outbox for all', { CONSOLE_OUTBOX: 'https://mail.hookline.io/outbox' }, /^CONSOLE_OUTBOX is set/],
    ['a faucet', { CONSOLE_FAUCET: 'https://faucet.hookline.io/' }, /^CONSOLE_FAUCET is set/],
    [
      'a console in the clear',
      { CONSOLE_ORIGINS: 'https://a.io,http://app.hookline.io' },
      /^CONSOLE_ORIGINS has http:/,
    ],
    ['a console where content is', { CONSOLE_ORIGINS: 'https://hookline-content.net' }, /which serves untrusted pages/],
    [
      'a console on the host of an item',
      { CONSOLE_ORIGINS: `https://${'ab'.repeat(12)}.hookline-content.net` },
      /^CONSOLE_ORIGINS has .* which serves untrusted pages/,
    ],
    [
      'a console where content is, with the dot of the root',
      { CONSOLE_ORIGINS: 'https://a.hookline-content.net.' },
      /which serves untrusted pages/,
    ],
    [
      'a route for all hosts of a zone that is not the storage host’s own',
      { STORAGE_HOST: 'content.strangers.net', STORAGE_ZONE: 'strangers.net' },
      /^STORAGE_ZONE is not STORAGE_HOST/,
    ],
    ['a pepper that is not random', { PASSWORD_PEPPER: 'A'.repeat(43) }, /^PASSWORD_PEPPER has a pepper that is not/],
    ['a key of its proxy that is not random', { FRONT_KEY: 'A'.repeat(43) }, /^FRONT_KEY is not random/],
    [
      'content on the suffix of a company that is the API’s host as well, with the dot of the root',
      { BASE_URL: 'https://pages.dev', STORAGE_HOST: 'pages.dev.' },
      /^STORAGE_HOST shares a site/,
    ],
    ['no token keys', { TOKEN_JWKS: '' }, /^TOKEN_JWKS is missing/],
    [
      'token keys that are not random',
      { TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: 'A'.repeat(43) }] }) },
      /not random/,
    ],
    ['a forwarded host that is believed', { TRUST_FORWARDED_HOST: 'true' }, /^TRUST_FORWARDED_HOST/],
    ['no mail', { MAIL_URL: undefined }, /^MAIL_URL is missing/],
    ['mail without a token', { MAIL_TOKEN: undefined }, /^MAIL_TOKEN is missing/],
    ['half of Cloudflare for SaaS', { CF_ZONE_ID: undefined }, /^CF_API_TOKEN and CF_ZONE_ID/],
    ['a setting nobody knows', { RPC_LITECOIN: 'https://a.io' }, /^RPC_LITECOIN is not a setting/],
    ['what the Worker refuses', { WRITER_TX_CHAINS: 'many' }, /^WRITER_TX_CHAINS is not a whole number/],
  ])('is refused with %s', (_, change, problem) => {
    const problems = problemsOf(change)
    expect(problems).toContainEqual(expect.stringMatching(problem))
    expect(problems.join()).not.toContain('secret@')
  })

  it.each<[string, Record<string, string | undefined>]>([
    [
      'siblings below a suffix of two labels',
      { BASE_URL: 'https://hookline.co.uk', STORAGE_HOST: 'hookline-content.co.uk' },
    ],
    [
      'siblings below the suffix of a company',
      { BASE_URL: 'https://hookline-api.pages.dev', STORAGE_HOST: 'hookline-content.pages.dev' },
    ],
    ['a storage host that is a suffix itself', { BASE_URL: 'https://api.pages.dev', STORAGE_HOST: 'pages.dev' }],
    [
      'a shared zone that is meant',
      { STORAGE_HOST: 'content.strangers.net', STORAGE_ZONE: 'strangers.net', STORAGE_ZONE_SHARED: 'true' },
    ],
    [
      'a shared zone in which only the storage host’s own routes are taken',
      { STORAGE_HOST: 'content.strangers.net', STORAGE_ZONE: 'strangers.net', CF_API_TOKEN: '', CF_ZONE_ID: '' },
    ],
    ['settings that say no', { WEBHOOK_LOOPBACK: 'false', TRUST_FORWARDED_HOST: 'false' }],
    ['a console of one’s own', { CONSOLE_ORIGINS: 'https://app.hookline.io' }],
  ])('is accepted with %s', (_, change) => {
    expect(problemsOf(change)).toEqual([])
  })

  it('is refused with all its problems at once', () => {
    expect(problemsOf({ BASE_URL: 'http://localhost', MAIL_URL: '', RPC_BITCOIN: 'http://10.0.0.1' })).toHaveLength(4)
  })

  it('is refused for what cannot work on Cloudflare also where the Worker would refuse another setting', () => {
    const problems = problemsOf({ TOKEN_JWKS: '', BASE_URL: 'https://api.hookline.example', MAIL_URL: '' })
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(['TOKEN_JWKS', 'BASE_URL', 'MAIL_URL'])
  })

  it('is accepted with what is not needed left out, saying what will not work', () => {
    const checked = checkDeploy({ ...SETTINGS, RPC_DOGECOIN: '', IPFS_ROUTERS: '', CF_API_TOKEN: '', CF_ZONE_ID: '' })
    expect(checked).toMatchObject({
      warnings: [
        expect.stringMatching(/^RPC_DOGECOIN is not set/),
        expect.stringMatching(/^IPFS_ROUTERS is not set/),
        expect.stringMatching(/^CF_API_TOKEN and CF_ZONE_ID are not set/),
      ],
    })
  })

  it('has an example that cannot be deployed as it is', () => {
    const example = parseEnv(readFileSync(new URL('../../../.env.production.example', import.meta.url), 'utf8'))
    const checked = checkDeploy(example)
    const problems = 'problems' in checked ? checked.problems : []
    expect(problems).toContainEqual(expect.stringMatching(/^TOKEN_JWKS is missing/))
    expect(problems.join()).not.toContain('not a setting')
  })
})
