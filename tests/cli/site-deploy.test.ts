import { symlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sha256Hex } from '../client/fake-api.ts'
import { ApiServer, type Route, TARGETS } from './api-server.ts'
import { User } from './run-hookline.ts'
import { SITE, serveSites } from './site-server.ts'

const PAYING = ['--max-fee', '1', '--pay-from-balance']
const ARGS = ['site', 'deploy', 'site', '--site', 'site', ...PAYING]

async function start() {
  const api = await ApiServer.start([TARGETS])
  api.fake.balance = 1_000_000
  const profile: Route = [
    'GET',
    /^\/v0\/user$/,
    async () => {
      const found = await api.fake.fetch(`${api.url}/v0/user`, { method: 'GET' }).then((response) => response.json())
      return { json: { ...found, balances: { ...found.balances, Nativecoin: 0.01 } } }
    },
  ]
  api.routes.push(profile)
  const sites = serveSites(api)
  sites.made = false
  const user = new User(api.url)
  sites.files = {
    'index.html': '<h1>Site</h1>',
    'style.css': 'h1 { color: teal }',
    '.well-known/security.txt': 'Contact: mailto:a@example.com',
  }
  for (const [path, text] of Object.entries(sites.files)) user.write(`site/${path}`, text)
  return { api, user, sites }
}

it('command 19: sends digests first, then only what is missing, and says how many were there', async () => {
  const { api, user } = await start()
  api.fake.known.add(sha256Hex('h1 { color: teal }'))
  const { code, stderr, stdout } = await user.run(ARGS)
  expect(code, stderr).toBe(0)
  expect(stderr).toContain('2 of 3 files sent, 1 already there.')
  expect(stdout).toContain('version  1')
  const known = api.paths.findIndex((path) => path.endsWith('/known'))
  expect(known).toBeGreaterThan(0)
  expect(known).toBeLessThan(api.paths.indexOf('POST /v0/item'))
  expect(api.fake.received).toBe('<h1>Site</h1>Contact: mailto:a@example.com'.length)
})

it('command 19: goes on after a 401 with a renewed sign-in', async () => {
  const { api, user } = await start()
  const token = (exp: number) =>
    ['e30', Buffer.from(JSON.stringify({ sub: 'user1', exp })).toString('base64url'), 'c2ln'].join('.')
  let given = 0
  api.routes.unshift(
    ['POST', /^\/v0\/token$/, () => ({ json: { accessToken: token(4e9), refreshToken: token(4e9) } })],
    ['PATCH', /^\/v0\/token$/, () => ({ status: 201, json: { refreshToken: token(4e9) } })],
    ['DELETE', /^\/v0\/token$/, () => ({ status: 204 })],
    ['PUT', /^\/v0\/token$/, () => ({ status: 201, json: { accessToken: token(4e9 + ++given) } })],
  )
  const env = { HOOKLINE_KEY: '' }
  await user.run(['login', '--email', 'ada@example.com', '--password-stdin'], { input: 'Correct1horse', env })
  let ended = false
  const { before } = api.fake
  api.fake.before = (request) => {
    if (ended || !/folder.*known/.test(request.path)) return before(request)
    ended = true
    return Response.json({ code: 'invalid_token', message: 'The token has expired.' }, { status: 401 })
  }
  expect(await user.run(ARGS, { env })).toMatchObject({ code: 0 })
  expect(ended).toBe(true)
  expect(given).toBe(2)
  expect(api.paths.filter((path) => /folder.*known/.test(path))).toHaveLength(2)
})

it('command 20: skips .git, node_modules and links that leave the folder, keeps .well-known and files of 0 bytes, and says why', async () => {
  const { user } = await start()
  for (const name of ['.git/config', 'node_modules/x/index.js', '.env', '.DS_Store']) user.write(`site/${name}`, 'x')
  user.write('site/empty.txt', '')
  user.write('outside.txt', 'private')
  symlinkSync(user.path('outside.txt'), user.path('site', 'link.txt'))
  symlinkSync(user.path('site', 'style.css'), user.path('site', 'inside.css'))
  symlinkSync(user.path('site'), user.path('site', 'circle'))
  const { document, stderr } = await user.json([...ARGS, '--dry-run'])
  expect(document.result.files).toBe(5)
  const skipped = Object.fromEntries(
    document.result.skipped.map(({ path, why }: { path: string; why: string }) => [path, why]),
  )
  expect(skipped).toEqual({
    '.git': 'a repository',
    '.env': 'hidden (its name begins with a dot)',
    '.DS_Store': 'a file of the desktop',
    node_modules: 'installed packages',
    'link.txt': 'a link that leaves the folder',
    circle: 'a link that leads in a circle',
  })
  expect(stderr).toContain('6 left out')
})

it('command 21: ends with 0 only after the new version was fetched through the host of the site', async () => {
  const { api, user, sites } = await start()
  let looks = 0
  sites.answer = () => (++looks < 3 ? { text: 'old' } : { text: '<h1>Site</h1>' })
  const { document } = await user.json(ARGS)
  expect(document).toMatchObject({
    exitCode: 0,
    result: { state: 'stored', site: { version: 1, url: expect.stringContaining('.storage.localhost') } },
  })
  expect(looks).toBe(3)
  const visits = api.seen.filter(({ path }) => path === '/')
  expect(
    visits.every(({ host, headers }) => host.includes('.storage.localhost') && headers.authorization === undefined),
  ).toBe(true)
})

it('takes a folder whose first page has another name than index.html, and refuses one without', async () => {
  const { user } = await start()
  const deploy = async (folder: string) =>
    (await user.run(['site', 'deploy', folder, '--site', 'site', '--dry-run', ...PAYING])).code
  user.write('old/Index.htm', '<h1>Old</h1>')
  user.write('none/home.htm', '<h1>Old</h1>')
  expect([await deploy('old'), await deploy('none')]).toEqual([0, 2])
})

it('command 21: deploying the same again makes no second site, version or payment', async () => {
  const { api, user, sites } = await start()
  await user.run(ARGS)
  expect(await user.run(ARGS)).toMatchObject({ code: 0 })
  expect(api.bodies('POST', '/v0/site')).toHaveLength(1)
  expect(sites.versions).toHaveLength(1)
  expect(api.fake.charges).toBe(1)
})

it('command 21: waits for a domain that does not point here yet with 8, and names the record', async () => {
  const { user, sites } = await start()
  const waiting = await user.json([...ARGS, '--domain', 'www.example.com'])
  expect(waiting.document).toMatchObject({
    exitCode: 8,
    error: { code: 'domain_waiting', hint: expect.stringContaining('CNAME') },
    result: { site: { domain: { host: 'www.example.com', status: 'waiting' } } },
  })
  expect(sites.domain?.host).toBe('www.example.com')
})

it('a domain where the operator has set no resolver is refused with what to do: asking again soon would not help', async () => {
  const { api, user, sites } = await start()
  const off = {
    code: 'domains_off',
    message: 'Domains are turned off: the operator of this service has not set DOH_URL.',
  }
  api.routes.unshift(['POST', /^\/v0\/domain$/, () => ({ status: 503, json: off, headers: { 'Retry-After': '0' } })])
  const { document } = await user.json([...ARGS, '--domain', 'www.example.com'])
  expect(document).toMatchObject({
    exitCode: 5,
    error: { code: 'domains_off', hint: expect.stringContaining('The site itself is deployed. Ask the operator') },
  })
  expect(sites.versions).toHaveLength(1)
})

async function startUnpaid() {
  const started = await start()
  started.api.fake.balance = 0
  started.api.routes.splice(1, 1)
  return started
}

it('a site that is not paid for ends with 8 and shows the payment, and the service shows it once it is stored', async () => {
  const { api, user, sites } = await startUnpaid()
  const { document } = await user.json(['site', 'deploy', 'site', '--site', 'site', '--max-fee', '1'])
  expect(document).toMatchObject({
    exitCode: 8,
    error: { code: 'unpaid', hint: expect.stringContaining('the site shows it by itself') },
    result: { state: 'unpaid', payments: [{ address: 'address0' }], site: { id: SITE, version: 1 } },
  })
  expect(api.bodies('POST', '/v0/site')).toEqual([{ name: 'site' }])
  expect(sites.versions).toMatchObject([{ item: document.result.items[0].id, current: 'when_stored' }])
  expect(sites.current).toBe(0)
})

it('--try-first makes no site and no version of what is not paid, and shows no version that is stored', async () => {
  const unpaid = await startUnpaid()
  const tried = await unpaid.user.json(['site', 'deploy', 'site', '--site', 'site', '--max-fee', '1', '--try-first'])
  expect(tried.document).toMatchObject({ exitCode: 8, error: { code: 'unpaid' }, result: { site: null } })
  expect(unpaid.sites.versions).toEqual([])

  const { user, sites } = await start()
  const { document } = await user.json([...ARGS, '--try-first'])
  expect(document).toMatchObject({ exitCode: 0, result: { site: { id: SITE, version: 1 } } })
  expect(document.result.site.url).toContain('http://v.')
  expect(sites).toMatchObject({ versions: [{ current: null }], current: 0 })
  expect(await user.run([...ARGS, '--try-first', '--domain', 'www.example.com'])).toMatchObject({ code: 2 })
})

it('refuses a folder without index.html before any request', async () => {
  const { api, user } = await start()
  user.write('other/page.html', 'x')
  expect(await user.run(['site', 'deploy', 'other', '--max-fee', '1'])).toMatchObject({ code: 2 })
  expect(api.seen).toEqual([])
})

it('a version that would answer with an error is current only with --yes, and the fault is told', async () => {
  const { api, user, sites } = await start()
  const message = 'The site would answer 500 because of _headers, line 1: This line is no path.'
  api.routes.unshift([
    'PUT',
    /^\/v0\/site\/[0-9a-f]+\/current$/,
    ({ body }) => {
      const { version, confirm } = JSON.parse(body)
      if (confirm !== true) return { status: 409, json: { code: 'site_fails', message, problems: [] } }
      sites.current = version
      return { json: {} }
    },
  ])
  const refused = await user.json(ARGS)
  expect(refused.document).toMatchObject({ ok: false, exitCode: 5, error: { code: 'site_fails', message } })
  expect(sites.current).toBe(0)
  expect((await user.json([...ARGS, '--yes'])).code).toBe(0)
  expect(sites.current).toBe(1)
})

it('without a word about which site it is, a deployment ends with 2 before any request', async () => {
  const { api, user } = await start()
  const { document } = await user.json(['site', 'deploy', 'site', ...PAYING])
  expect(document).toMatchObject({ exitCode: 2, error: { hint: expect.stringContaining('--site') } })
  expect(api.seen).toEqual([])
})

it('another folder of the same name makes a site of its own name, and leaves the first as it is', async () => {
  const { api, user, sites } = await start()
  user.write('other/site/index.html', '<h1>Site</h1>')
  await user.run(ARGS)
  sites.files = { 'index.html': '<h1>Site</h1>' }
  const second = await user.json(['site', 'deploy', 'other/site', '--site', 'docs', ...PAYING])
  expect(second.stderr).toContain('There is no site named docs')
  expect(api.bodies('POST', '/v0/site').map(({ name }) => name)).toEqual(['site', 'docs'])
})

it('a fresh machine deploys to the site of that name, and makes none', async () => {
  const { api, user, sites } = await start()
  await user.run(ARGS)
  const runner = new User(api.url)
  runner.write('site/index.html', '<h1>Site</h1>')
  sites.files = { 'index.html': '<h1>Site</h1>' }
  expect(await runner.run(ARGS)).toMatchObject({ code: 0 })
  expect(api.bodies('POST', '/v0/site')).toHaveLength(1)
})

it.each([
  ['an unknown id', 'f'.repeat(24), 5],
  ['a name that two sites have', 'twin', 2],
])('%s is refused before anything is sent or paid', async (_, site, exitCode) => {
  const { api, user, sites } = await start()
  const twin = { name: 'twin', host: 'h', url: 'https://h/', version: null, item: null, versions: 0, createdAt: 1 }
  sites.others = ['c', 'd'].map((letter) => ({ id: letter.repeat(24), ...twin }))
  const { document } = await user.json(['site', 'deploy', 'site', '--site', site, ...PAYING])
  expect(document.exitCode).toBe(exitCode)
  expect(api.paths.filter((path) => !path.startsWith('GET'))).toEqual([])
})

it('.hookline.json in the folder says which site it is, for its own service only, and is never stored', async () => {
  const { api, user, sites } = await start()
  sites.made = true
  user.write('site/.hookline.json', JSON.stringify({ api: api.url, site: SITE }))
  const args = ['site', 'deploy', 'site', ...PAYING, '--hidden']
  expect((await user.json(args)).document).toMatchObject({ exitCode: 0, result: { site: { id: SITE } } })
  expect([...api.fake.items.values()].map(({ name }) => name)).not.toContain('.hookline.json')
  user.write('site/.hookline.json', JSON.stringify({ api: 'https://other.example', site: SITE }))
  expect((await user.json(args)).document).toMatchObject({ exitCode: 2 })
  user.write('site/.hookline.json', '{')
  expect((await user.json(args)).document).toMatchObject({ exitCode: 2 })
})

it.each([
  ['other bytes', { 'index.html': '<h1>Site</h1>', 'style.css': 'h1 { color: plum }' }],
  ['a file less', { 'index.html': '<h1>Site</h1>' }],
])('a directory of %s than those here ends it with 6, and no visitor gets it', async (_, files) => {
  const { api, user, sites } = await start()
  sites.files = { ...files, '.well-known/security.txt': 'Contact: mailto:a@example.com' }
  const { document, stderr } = await user.json(ARGS)
  expect(document, stderr).toMatchObject({ exitCode: 6, error: { code: 'not_verified' } })
  expect(api.paths.filter((path) => /^(POST|PUT) .*(versions|current)$/.test(path))).toEqual([])
})

it('a faulty _redirects ends it before anything is sent or paid, with every fault; --yes deploys all the same', async () => {
  const { api, user, sites } = await start()
  user.write('site/_redirects', '/a')
  sites.files._redirects = '/a'
  const line = (number: number) => ({
    file: '_redirects',
    line: number,
    text: '/a',
    fault: 'It is no rule.',
    effect: 'fails',
  })
  api.fake.siteProblems = [line(1), line(2)]
  for (const args of [ARGS, [...ARGS, '--dry-run']]) {
    const { document } = await user.json(args)
    expect(document).toMatchObject({ exitCode: 5, error: { code: 'site_fails' } })
    expect(document.error.message).toContain('_redirects line 1: It is no rule. Nothing was sent or paid.')
    expect(document.error.problems).toEqual(['_redirects line 2: It is no rule.'])
  }
  expect([api.fake.items.size, api.fake.folders.size, api.fake.charges]).toEqual([0, 0, 0])
  expect(await user.json([...ARGS, '--yes'])).toMatchObject({ code: 0 })
  expect(api.fake.charges).toBe(1)
})

it('a quota that the site would pass ends it with 5 before anything is sent or paid', async () => {
  const { api, user } = await start()
  api.fake.limits.unpaidItems = 2
  const { document } = await user.json(ARGS)
  expect(document).toMatchObject({ exitCode: 5, error: { code: 'quota_exceeded' } })
  expect([api.fake.items.size, api.fake.charges]).toEqual([0, 0])
})

it('put of such a folder names the faults and stores it: it need not become a site', async () => {
  const { api, user } = await start()
  user.write('site/_headers', 'x')
  api.fake.siteProblems = [{ file: '_headers', line: 1, text: 'x', fault: 'It is no rule.', effect: 'fails' }]
  const { code, stderr } = await user.run(['put', 'site', '--to', 'ipfs', '--max-fee', '1'])
  expect(code, stderr).toBe(8)
  expect(stderr).toContain('_headers line 1: It is no rule.')
})

it.each([
  ['domain_taken', 409, 5],
  ['invalid_field', 400, 5],
  ['domains_off', 503, 7],
])('a domain that is refused with %s ends it before anything is sent or paid', async (code, status, exitCode) => {
  const { api, user } = await start()
  const refusal = { status, json: { code, message: 'No.' }, headers: { 'Retry-After': '0' } }
  api.routes.unshift(['GET', /^\/v0\/domain\/www\.example\.com\/claim$/, () => refusal])
  const { document } = await user.json([...ARGS, '--domain', 'www.example.com'])
  expect(document).toMatchObject({ exitCode, error: { code } })
  expect([api.fake.items.size, api.fake.charges]).toEqual([0, 0])
})
