import { expect, it } from 'vitest'
import { redactSecrets } from '../../cli/run/describe-failure.ts'
import { EXIT, EXIT_MEANINGS } from '../../cli/run/exit-codes.ts'
import { EVERY_COMMAND, startEverything } from './every-command.ts'

it('command 26: publishes 0 to 9, 74, 130 and 143, and no other', () => {
  expect(Object.keys(EXIT_MEANINGS)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '74', '130', '143'])
  expect(
    Object.values(EXIT)
      .sort((a, b) => a - b)
      .map(String),
  ).toEqual(Object.keys(EXIT_MEANINGS))
})

it.each([
  [401, { code: 'invalid_token', message: 'The token has expired.' }, 4],
  [403, { code: 'missing_permission', message: 'This key may not do that.' }, 4],
  [404, { code: 'not_found', message: 'You have no item with this id.' }, 5],
  [409, { code: 'item_paid', message: 'It is paid for.' }, 5],
  [451, { code: 'denied', message: 'It is on the denylist.' }, 5],
  [429, { code: 'too_many_requests', message: 'Too many requests.' }, 7],
  [503, { code: 'unavailable', message: 'The database is down.' }, 7],
])(
  'command 26, 28: status %i is told with its sentence and the request id, and ends with its own code',
  async (status, json, exitCode) => {
    const { api, user } = await startEverything()
    api.routes.unshift(['GET', /^\/v0\/user$/, () => ({ status, json, headers: { 'Retry-After': '61' } })])
    const { document, stderr } = await user.json(['whoami'])
    expect(document).toMatchObject({
      exitCode,
      error: { code: json.code, message: json.message, requestId: expect.stringMatching(/^request-/) },
    })
    expect(stderr).toContain(json.message)
    expect(stderr).toContain(document.error.requestId)
    expect(stderr).not.toMatch(/^ +at /m)
  },
)

it('command 26: no network is 7', async () => {
  const { user } = await startEverything()
  const args = ['get', 'ab'.repeat(32), '--chain', 'bitcoin', '-o', 'x', '--api', 'http://127.0.0.1:1']
  const { document } = await user.json(args, { env: { HOOKLINE_NODE: undefined } })
  expect(document).toMatchObject({ exitCode: 7 })
})

it('command 26: status of an item that waits is 8', async () => {
  const { user } = await startEverything()
  expect((await user.json(['status', EVERY_COMMAND.pay?.[1] ?? ''])).document).toMatchObject({
    exitCode: 8,
    result: { state: 'unpaid' },
  })
})

it.each([
  [['pt', 'a.txt'], 'put'],
  [['put', 'a.txt', '--too', 'bitcoin'], '--to'],
  [['put', 'a.txt', '--to', 'bitcion'], 'bitcoin'],
  [['site', 'deply', 'x'], 'site deploy'],
  [['help', 'exit-code'], 'exit-codes'],
  [['ls', '--stauts', 'stored'], '--status'],
])('command 27: %j is refused with 2 and the nearest right name, before any request', async (args, name) => {
  const { api, user } = await startEverything()
  const { code, stderr } = await user.run(args)
  expect(code).toBe(2)
  expect(stderr).toContain(`Did you mean`)
  expect(stderr).toContain(`${name}?`)
  expect(api.seen).toEqual([])
})

it.each([
  [['put', 'a.txt', 'b.txt', '--to', 'bitcoin'], 'one argument too many'],
  [['put', 'a.txt', '--to', 'bitcoin', '--to', 'dogecoin'], 'given 2 times'],
  [['put', 'a.txt', '--to'], 'needs a value'],
  [['put', 'a.txt', '--wait=yes', '--to', 'ipfs'], 'takes no value'],
  [['put', 'a.txt'], 'Give --to'],
  [['put', 'nothing.txt', '--to', 'ipfs', '--max-fee', '1'], 'There is no file'],
  [['put', 'a.txt', '--to', 'ipfs', '--max-fee', 'much'], 'number of coins'],
  [['put', 'a.txt', '--to', 'ipfs', '--max-fee', '1', '--api', 'example'], 'not the address of a service'],
  [['get', 'xyz'], 'neither a CID'],
  [['get'], 'needs <name>'],
  [['rm', 'xyz', '--yes'], 'is not an id'],
  [['ls', '--json', '--jsonl'], 'exclude each other'],
  [['-x'], 'no option -x'],
  [[], 'The command is missing'],
])('command 27: %j is refused with 2, before any request', async (args, sentence) => {
  const { api, user } = await startEverything()
  const { code, stderr } = await user.run(args)
  expect(stderr).toContain(sentence)
  expect(code).toBe(2)
  expect(api.seen).toEqual([])
})

it('command 27: what follows -- is an argument, whatever it looks like', async () => {
  const { user } = await startEverything()
  user.write('--help', 'a file')
  const { code, stdout } = await user.run(['put', '--to', 'nativecoin', '--dry-run', '--json', '--', '--help'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ command: 'put', result: { files: 1, bytes: 6 } })
})

it('command 28: shows a trace only with HOOKLINE_DEBUG, and no key, token or cookie in it', async () => {
  const { api, user } = await startEverything()
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
  api.routes.unshift([
    'GET',
    /^\/v0\/user$/,
    ({ headers }) => ({
      status: 500,
      json: { code: 'broken', message: `It was ${headers.authorization}; cookie: session=${token}` },
      headers: { 'Retry-After': '61' },
    }),
  ])
  const plain = await user.run(['whoami'], { env: { HOOKLINE_KEY: 'hk_very-secret' } })
  expect(plain.stderr).not.toMatch(/^ +-? *at /m)
  for (const key of ['hk_very-secret', token]) {
    const debug = await user.run(['whoami', '--json'], { env: { HOOKLINE_KEY: key, HOOKLINE_DEBUG: '1' } })
    expect(debug.stderr).toMatch(/at .*:\d+/)
    for (const secret of ['hk_very-secret', token, 'c2lnbmF0dXJl'])
      expect(debug.stderr + debug.stdout).not.toContain(secret)
  }
})

it('command 28: takes out what opens an account wherever it stands', () => {
  const text = 'Authorization: Bearer abc.def, cookie: a=b; {"refreshToken":"xyz"} password=Correct1'
  const clean = redactSecrets(text, {})
  for (const secret of ['abc.def', 'a=b', 'xyz', 'Correct1']) expect(clean).not.toContain(secret)
})

it('a group of commands says with --help which they are', async () => {
  const { user } = await startEverything()
  const { code, stdout } = await user.run(['site', '--help'])
  expect(code).toBe(0)
  expect(stdout).toContain('site deploy')
  expect(stdout).not.toContain('whoami')
})

it('another name that exists elsewhere is no slip of the hand: --to litecoin suggests nothing', async () => {
  const { user } = await startEverything()
  const { code, stderr } = await user.run(['put', 'a.txt', '--to', 'litecoin', '--max-fee', '1'])
  expect(code).toBe(2)
  expect(stderr).not.toContain('Did you mean')
})

it('a file that is not there is named before anything else that is missing', async () => {
  const { user } = await startEverything()
  expect((await user.run(['put', 'nofile'])).stderr).toContain('no file or folder "nofile"')
})

it('a key is not sent by plain http to another machine, unless that is meant', async () => {
  const { user } = await startEverything()
  const args = ['whoami', '--api', 'http://192.0.2.1:1']
  const { document } = await user.json(args)
  expect(document).toMatchObject({ exitCode: 2, error: { code: 'insecure_api' } })
})
