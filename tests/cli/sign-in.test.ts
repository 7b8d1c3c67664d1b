import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ApiServer, type Route } from './api-server.ts'
import { User } from './run-hookline.ts'

const token = (claims: object) => ['e30', Buffer.from(JSON.stringify(claims)).toString('base64url'), 'c2ln'].join('.')
const ACCESS = token({ sub: 'user1', exp: 4_000_000_000 })
const REFRESH = token({ sub: 'user1', email: 'ada@example.com', exp: 4_000_000_000 })

const TOKENS: Route[] = [
  [
    'POST',
    /^\/v0\/token$/,
    ({ body }) => {
      const good = JSON.parse(body).password === 'Correct1horse'
      return good
        ? { json: { accessToken: ACCESS, refreshToken: 'first' } }
        : { status: 401, json: { code: 'wrong_credentials', message: 'Wrong email or password.' } }
    },
  ],
  ['PUT', /^\/v0\/token$/, () => ({ status: 201, json: { accessToken: ACCESS } })],
  ['PATCH', /^\/v0\/token$/, () => ({ status: 201, json: { refreshToken: REFRESH } })],
  ['DELETE', /^\/v0\/token$/, () => ({ status: 204 })],
]

const NO_KEY = { HOOKLINE_KEY: '' }
const LOGIN = ['login', '--email', 'ada@example.com', '--password-stdin']
const start = async () => {
  const api = await ApiServer.start([...TOKENS])
  return { api, user: new User(api.url, NO_KEY) }
}

it('command 1: keeps credentials apart from state, in a folder of 0700 and a file of 0600 whatever the umask', async () => {
  const { user } = await start()
  mkdirSync(user.path('.config', 'hookline'), { recursive: true })
  writeFileSync(user.path('.config', 'hookline', 'credentials.json'), '{"signIns":{}}')
  chmodSync(user.path('.config', 'hookline', 'credentials.json'), 0o666)
  const before = process.umask(0)
  try {
    expect(await user.run(LOGIN, { input: 'Correct1horse\n' })).toMatchObject({ code: 0 })
  } finally {
    process.umask(before)
  }
  expect(statSync(user.path('.config', 'hookline')).mode & 0o777).toBe(0o700)
  expect(statSync(user.path('.config', 'hookline', 'credentials.json')).mode & 0o777).toBe(0o600)
})

it('a file of credentials that others can read is refused', async () => {
  const { user } = await start()
  await user.run(LOGIN, { input: 'Correct1horse' })
  chmodSync(user.path('.config', 'hookline', 'credentials.json'), 0o640)
  const { document } = await user.json(['whoami'], { env: { HOOKLINE_KEY: '' } })
  expect(document).toMatchObject({ exitCode: 4, error: { code: 'credentials_exposed' } })
})

it('command 1: takes XDG_CONFIG_HOME only as an absolute path', async () => {
  const { user } = await start()
  await user.run(LOGIN, { input: 'Correct1horse', env: { XDG_CONFIG_HOME: 'relative' } })
  await user.run(LOGIN, { input: 'Correct1horse', env: { XDG_CONFIG_HOME: user.path('own') } })
  expect(readFileSync(user.path('.config', 'hookline', 'credentials.json'), 'utf8')).toContain(REFRESH)
  expect(readFileSync(user.path('own', 'hookline', 'credentials.json'), 'utf8')).toContain(REFRESH)
})

it('command 2: says the path and that it is plain text before it writes', async () => {
  const { user } = await start()
  const { stderr } = await user.run(LOGIN, { input: 'Correct1horse' })
  expect(stderr).toContain(`stored as plain text in ${user.path('.config', 'hookline', 'credentials.json')}`)
})

it('command 2: login --no-store keeps nothing and prints an access token for HOOKLINE_KEY', async () => {
  const { api, user } = await start()
  const { stdout } = await user.run([...LOGIN, '--no-store'], { input: 'Correct1horse' })
  expect(stdout.trim()).toBe(ACCESS)
  expect(() => statSync(user.path('.config', 'hookline', 'credentials.json'))).toThrow()
  expect(api.paths.at(-1)).toBe('DELETE /v0/token')
})

it('command 2: whoami names where the key came from, its scopes and its expiry', async () => {
  const { api, user } = await start()
  await user.run(LOGIN, { input: 'Correct1horse' })
  const { document: stored } = await user.json(['whoami'])
  expect(stored.result.key).toMatchObject({
    kind: 'session',
    from: user.path('.config', 'hookline', 'credentials.json'),
    scopes: ['store'],
    expiresAt: 4_000_000_000,
  })
  api.routes.unshift([
    'GET',
    /^\/v0\/user$/,
    async () => {
      const profile = await api.fake.fetch(`${api.url}/v0/user`, { method: 'GET' }).then((response) => response.json())
      const key = { id: 'k1', name: 'ci', scopes: ['read', 'sites'], createdAt: 1, lastUsedAt: null, spending: null }
      return { json: { ...profile, key: { ...key, expiresAt: 1_900_000_000 } } }
    },
  ])
  const { document: given } = await user.json(['whoami'], { env: { HOOKLINE_KEY: 'hk_123' } })
  expect(given.result.key).toEqual({
    kind: 'key',
    from: 'HOOKLINE_KEY',
    name: 'ci',
    scopes: ['read', 'sites'],
    expiresAt: 1_900_000_000,
  })
})

it.each(['--password', '--key', '--token'])(
  'command 3: takes no secret by %s, and does not repeat it',
  async (option) => {
    const { api, user } = await start()
    const ran = await user.run(['login', option, 'Sup3rsecret'])
    expect(ran.code).toBe(2)
    expect(ran.stderr + ran.stdout).not.toContain('Sup3rsecret')
    expect(api.seen).toEqual([])
  },
)

it('command 3: takes a key by stdin, by a file and by a program', async () => {
  const { api, user } = await start()
  expect(await user.run(['login', '--key-stdin'], { input: 'from-stdin\n' })).toMatchObject({ code: 0 })
  writeFileSync(user.path('key'), 'from-file\n')
  await user.run(['whoami'], { env: { HOOKLINE_KEY_FILE: user.path('key') } })
  await user.run(['logout'])
  const config = { api: api.url, key_command: [process.execPath, '-p', '"from-program"'] }
  writeFileSync(user.path('.config', 'hookline', 'config.json'), JSON.stringify(config))
  await user.run(['whoami'])
  const keys = api.seen.map(({ headers }) => headers.authorization)
  expect(keys).toEqual(['Bearer from-stdin', 'Bearer from-file', 'Bearer from-program'])
})

it('command 4: sends a stored sign-in to its own service and to no other', async () => {
  const { user } = await start()
  const other = await ApiServer.start([...TOKENS])
  await user.run(LOGIN, { input: 'Correct1horse' })
  const ran = await user.run(['whoami', '--api', other.url])
  expect(ran).toMatchObject({ code: 4 })
  expect(ran.stderr).toContain('hookline login')
  expect(other.seen).toEqual([])
})

it('command 4: follows no redirect, which would take the token along', async () => {
  const { api, user } = await start()
  const other = await ApiServer.start()
  await user.run(LOGIN, { input: 'Correct1horse' })
  api.routes.unshift(['GET', /^\/v0\/user$/, () => ({ status: 307, headers: { Location: `${other.url}/v0/user` } })])
  expect((await user.run(['whoami'])).code).not.toBe(0)
  expect(other.seen).toEqual([])
})

it.each([
  [['login'], '--email'],
  [['login', '--email', 'ada@example.com'], '--password-stdin'],
  [['rm', 'a'.repeat(24)], '--yes'],
  [['withdraw', '1', 'address', '--chain', 'bitcoin'], '--max-fee'],
])('command 5: asks nothing without a terminal, and names what to give: %j', async (args, option) => {
  const api = await ApiServer.start()
  const ran = await new User(api.url, args[0] === 'login' ? NO_KEY : {}).run(args)
  expect(ran.code).toBe(2)
  expect(ran.stderr).toContain(option)
  expect(ran.stderr).toMatch(/there is no terminal to/i)
  expect(ran.stderr).not.toContain('[secret]')
  expect(api.seen).toEqual([])
})

it('26.7: each run has the refresh token replaced, and keeps the new one whole in the file', async () => {
  const { api, user } = await start()
  await user.run(LOGIN, { input: 'Correct1horse' })
  const asked: unknown[] = []
  api.routes.unshift([
    'PUT',
    /^\/v0\/token$/,
    ({ body }) => {
      asked.push(JSON.parse(body))
      const claims = { sub: 'user1', email: 'ada@example.com', exp: 4_000_000_000 + asked.length }
      return { status: 201, json: { accessToken: ACCESS, refreshToken: token(claims) } }
    },
  ])
  await user.run(['whoami'])
  await user.run(['whoami'])
  expect(asked).toMatchObject([{ token: REFRESH, rotate: true }, { rotate: true }])
  expect(asked[1]).not.toMatchObject({ token: REFRESH })
  const file = user.path('.config', 'hookline', 'credentials.json')
  const { signIns } = JSON.parse(readFileSync(file, 'utf8'))
  expect(signIns[api.url]).toMatchObject({
    email: 'ada@example.com',
    secret: token({ sub: 'user1', email: 'ada@example.com', exp: 4_000_000_002 }),
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
