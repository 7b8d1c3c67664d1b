import { mkdirSync, writeFileSync } from 'node:fs'
import jsQR from 'jsqr'
import { expect, it } from 'vitest'
import { drawQr } from '../../cli/pay/show-payment.ts'
import { requestJson } from '../client/fake-api.ts'
import { ApiServer, type Fate, type Route, TARGETS, targetsWith } from './api-server.ts'
import { User } from './run-hookline.ts'
import { serveStored } from './stored-content.ts'

const balanceOf = (api: ApiServer, coins: number): Route => [
  'GET',
  /^\/v0\/user$/,
  async () => {
    const profile = await api.fake.fetch(`${api.url}/v0/user`, { method: 'GET' }).then((response) => response.json())
    return { json: { ...profile, balances: { ...profile.balances, Nativecoin: coins } } }
  },
]

async function start({ balance = 0 } = {}) {
  const api = await ApiServer.start([TARGETS])
  api.fake.balance = balance * 1e8
  api.routes.push(balanceOf(api, balance))
  const user = new User(api.url)
  writeFileSync(user.path('a.txt'), 'some content')
  return { api, user }
}

const PUT = ['put', 'a.txt', '--to', 'nativecoin']

it('says with a deposit address what deposits have to come to, where the service has set that', async () => {
  const { api, user } = await start()
  api.routes.unshift([
    'GET',
    /^\/v0\/user$/,
    async () => {
      const profile = await api.fake.fetch(`${api.url}/v0/user`, { method: 'GET' }).then((response) => response.json())
      return { json: { ...profile, minDeposits: { Nativecoin: 0.0000546, Dogecoin: 0.1, Bitcoin: 0.0000546 } } }
    },
  ])
  api.routes.unshift([
    'GET',
    /^\/v0\/payment\/Nativecoin$/,
    () => ({ json: { address: 'nc1deposit', blockchain: 'Nativecoin' } }),
  ])
  const { code, stdout, stderr } = await user.run(['balance', '--deposit', 'nativecoin'])
  expect([code, stdout]).toEqual([0, 'nc1deposit\n'])
  expect(stderr).toContain('Deposits are credited as soon as their sum reaches 0.0000546')
})
const changes = (api: ApiServer) => api.paths.filter((path) => !path.startsWith('GET') && path !== 'POST /v0/estimate')

it('says beside the price what it is worth, in the currency that is asked for', async () => {
  const { api, user } = await start()
  const rates = { Nativecoin: { EUR: 4_000, USD: 4_500 } }
  api.routes.push(['GET', /^\/v0\/prices$/, () => ({ json: { asOf: 1_795_269_600, source: null, rates } })])
  const first = await user.run([...PUT, '--max-fee', '1', '--dry-run', '--json'])
  expect(JSON.parse(first.stdout)).toMatchObject({ ok: true })
  const told = async (...more: string[]) => await user.run([...PUT, '--max-fee', '1', ...more])
  expect((await told()).stderr).toMatch(/costs at most [\d.]+ NTC \((?:about|less than) EUR\u00a0\d+\.\d\d\)\./)
  expect((await told('--currency', 'usd', '--new')).stderr).toMatch(/NTC \((?:about|less than) USD/)
  const unknown = await told('--currency', 'CHF', '--new')
  expect(unknown.stderr).toContain('This service has no price in CHF.')
  expect(unknown.stderr).toMatch(/costs at most [\d.]+ NTC\./)
  expect((await told('--currency', 'euros')).code).toBe(2)
})

it('command 11: requires --max-fee where nobody can be asked, before any request', async () => {
  const { api, user } = await start()
  const { code, stderr } = await user.run(PUT)
  expect(code).toBe(2)
  expect(stderr).toContain('--max-fee')
  expect(api.seen).toEqual([])
})

it('command 11: refuses a higher quote with its own code, and pays nothing', async () => {
  const { api, user } = await start()
  const { document } = await user.json([...PUT, '--max-fee', '0.00000099'])
  expect(document).toMatchObject({
    exitCode: 9,
    error: { code: 'too_dear', message: expect.stringContaining('0.000001 NTC') },
  })
  expect(api.fake.charges).toBe(0)
  expect(await user.run([...PUT, '--max-fee', '0.000001'])).toMatchObject({ code: 8 })
})

it('command 11: lets no balance pay without --pay-from-balance, nor more than --max-fee', async () => {
  const { api, user } = await start({ balance: 1 })
  const silent = await user.json([...PUT, '--max-fee', '1'])
  expect(silent).toMatchObject({ stderr: expect.stringContaining('--pay-from-balance') })
  expect(silent.document).toMatchObject({
    exitCode: 8,
    result: { state: 'unpaid', payments: [{ amount: '0.000001' }] },
  })
  const dear = await user.json([...PUT, '--max-fee', '0.00000099', '--pay-from-balance'])
  expect(dear.document).toMatchObject({ exitCode: 9, error: { code: 'too_dear' } })
  expect(api.fake.charges).toBe(0)
})

it('command 11: lets several payments from the balance take no more than --max-fee together, though the price doubles between them', async () => {
  const { api, user } = await start({ balance: 1 })
  mkdirSync(user.path('many'))
  for (let index = 0; index < 201; index++) writeFileSync(user.path('many', `f${index}`), `content ${index}`)
  const before = api.fake.balance
  let payments = 0
  api.fake.after = ({ method, path }) => {
    if (method === 'POST' && path === '/v0/payment' && ++payments === 1) api.fake.price *= 2
  }
  const args = ['put', 'many', '--to', 'nativecoin', '--pay-from-balance', '--max-fee']
  const { document } = await user.json([...args, '0.00020101'])
  expect(document).toMatchObject({ exitCode: 9 })
  expect([api.fake.charges, before - api.fake.balance]).toEqual([1, 20_000])
})

it('command 11: a resumed order of more items than one request reads is priced by its files', async () => {
  const { api, user } = await start({ balance: 1 })
  mkdirSync(user.path('many'))
  for (let index = 0; index < 201; index++) writeFileSync(user.path('many', `f${index}`), `content ${index}`)
  const args = ['put', 'many', '--to', 'nativecoin', '--max-fee', '0.000201']
  expect(await user.run(args)).toMatchObject({ code: 8 })
  expect(await user.run([...args, '--pay-from-balance'])).toMatchObject({ code: 0 })
  expect(api.fake.charges).toBe(2)
})

it('command 11: says that the balance is too little, with 9', async () => {
  const { api, user } = await start({ balance: 0.0000005 })
  const { document } = await user.json([...PUT, '--max-fee', '1', '--pay-from-balance'])
  expect(document).toMatchObject({ exitCode: 9, error: { code: 'insufficient_balance' } })
  expect(api.fake.charges).toBe(0)
})

it.each([
  [PUT, 'put'],
  [['withdraw', '0.5', 'ncrt1address', '--chain', 'nativecoin'], 'withdraw'],
])('command 12: a dry run of %j creates and moves nothing, and has the fields of a real run', async (args) => {
  const { api, user } = await start({ balance: 2 })
  api.routes.push(
    ['GET', /^\/v0\/withdrawal\/fee/, () => ({ json: { fee: 0.0001 } })],
    ['POST', /^\/v0\/withdrawal$/, () => ({ status: 201, json: WITHDRAWAL })],
  )
  const dry = await user.json([...args, '--dry-run'])
  expect(dry.document).toMatchObject({ ok: true, result: { dryRun: true } })
  expect(changes(api)).toEqual([])
  const real = await user.json([...args, '--max-fee', '1', ...(args[0] === 'put' ? ['--pay-from-balance'] : ['--yes'])])
  expect(real.document).toMatchObject({ ok: true, result: { dryRun: false } })
  expect(Object.keys(real.document.result)).toEqual(Object.keys(dry.document.result))
})

const WITHDRAWAL = {
  id: 'w1',
  blockchain: 'Nativecoin',
  address: 'ncrt1address',
  amount: 0.5,
  fee: 0.0001,
  state: 'sent',
  txid: null,
  depth: 0,
  createdAt: 1,
}

it('command 12: a dry run of pay, and of a put that was begun before, changes nothing either', async () => {
  const { api, user } = await start()
  const { document } = await user.json([...PUT, '--max-fee', '1'])
  const before = changes(api).length
  const [item] = document.result.items
  expect((await user.json(['pay', item.id, '--dry-run'])).document).toMatchObject({
    ok: true,
    result: { dryRun: true, items: [{ id: item.id }] },
  })
  expect((await user.json([...PUT, '--dry-run'])).document).toMatchObject({ ok: true, result: { dryRun: true } })
  expect(changes(api)).toHaveLength(before)
})

it('command 12: a dry run of a put that was cut says what the earlier run has done, and so does one of a withdrawal', async () => {
  const { api, user } = await start()
  mkdirSync(user.path('many'))
  for (const name of ['a', 'b', 'c']) writeFileSync(user.path('many', name), name.repeat(1500))
  const args = ['put', 'many', '--to', 'nativecoin', '--max-fee', '1']
  const fresh = await user.json([...args, '--dry-run'])
  expect(fresh.document.result).toMatchObject({ begun: null, items: [] })
  api.fake.before = ({ path }) =>
    path.endsWith('/chunk/0') && api.fake.items.get(path.split('/')[3] ?? '')?.name === 'b'
      ? Response.json({ code: 'chunk_too_short', message: 'No.' }, { status: 400 })
      : undefined
  await user.run(args)
  const before = changes(api).length
  const dry = await user.json([...args, '--dry-run'])
  expect(dry.document.result).toMatchObject({
    dryRun: true,
    begun: { created: 3, sent: 2, merged: 2, paid: 0 },
    items: [{ name: 'a' }, { name: 'c' }],
  })
  expect((await user.run([...args, '--dry-run'])).stdout).toContain(
    'begun    3 created, 2 sent, 2 merged, 0 paid before',
  )
  expect((await user.json([...args, '--dry-run', '--new'])).document.result.begun).toBeNull()
  expect(changes(api)).toHaveLength(before)

  api.routes.push(
    ['GET', /^\/v0\/withdrawal\/fee/, () => ({ json: { fee: 0.0001 } })],
    ['POST', /^\/v0\/withdrawal$/, () => ({ status: 201, json: WITHDRAWAL })],
  )
  const withdraw = ['withdraw', '0.5', 'ncrt1address', '--chain', 'nativecoin', '--max-fee', '1', '--yes']
  const stateOf = async () => (await user.json([...withdraw, '--dry-run'])).document.result.state
  expect(await stateOf()).toBe('none')
  await user.run(withdraw)
  expect(await stateOf()).toBe('sent')
  expect(api.bodies('POST', '/v0/withdrawal')).toHaveLength(1)
})

it('a withdrawal that was cut is sent once, and the same one again only with --new', async () => {
  const { api, user } = await start()
  const made = new Map<string, string>()
  api.routes.push(
    ['GET', /^\/v0\/withdrawal\/fee/, () => ({ json: { fee: 0.0001 } })],
    [
      'POST',
      /^\/v0\/withdrawal$/,
      ({ headers, body }) => {
        made.set(String(headers['idempotency-key']), body)
        return { status: 201, json: WITHDRAWAL }
      },
    ],
  )
  const args = ['withdraw', '0.5', 'ncrt1address', '--chain', 'nativecoin', '--max-fee', '0.001', '--yes']
  // It is killed in its third request, which the service has processed, before the response.
  let tries = 0
  await user.run(args, {
    onStart(child) {
      api.fate = ({ path, method }) => {
        if (method !== 'POST' || path !== '/v0/withdrawal') return 'answer'
        if (++tries === 3) child.kill('SIGKILL')
        return 'cut after'
      }
    },
  })
  expect(tries).toBeGreaterThanOrEqual(3)
  api.fate = () => 'answer'
  expect(await user.run(args)).toMatchObject({ code: 0 })
  expect(made.size).toBe(1)
  expect((await user.json(args)).document).toMatchObject({ exitCode: 5, error: { code: 'sent_already' } })
  expect(await user.run([...args, '--new'])).toMatchObject({ code: 0 })
  expect(made.size).toBe(2)
})

it('a withdrawal whose first try still runs at the service is resumed with the same key', async () => {
  const { api, user } = await start()
  const keys = new Set<unknown>()
  let runs = true
  api.routes.push(
    ['GET', /^\/v0\/withdrawal\/fee/, () => ({ json: { fee: 0.0001 } })],
    [
      'POST',
      /^\/v0\/withdrawal$/,
      ({ headers }) => {
        keys.add(headers['idempotency-key'])
        const message = 'The first request with this Idempotency-Key is still running.'
        return runs ? { status: 409, json: { code: 'request_running', message } } : { status: 201, json: WITHDRAWAL }
      },
    ],
  )
  const args = ['withdraw', '0.5', 'ncrt1address', '--chain', 'nativecoin', '--max-fee', '0.001', '--yes']
  expect((await user.json(args)).document).toMatchObject({ exitCode: 7, error: { code: 'request_running' } })
  runs = false
  expect(await user.run(args)).toMatchObject({ code: 0 })
  expect(keys.size).toBe(1)
})

/** Pixels of a terminal that shows the drawing: 8 by 16 for a character, on a ground of the theme. */
function render(drawing: string, ground: number) {
  const [modules, cell] = [drawing.trimEnd().split('\n'), 8]
  const columns = Math.max(...modules.map((line) => line.split('\u2580').length - 1))
  const [width, height] = [(columns + 10) * cell, (modules.length + 5) * 2 * cell]
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let index = 0; index < pixels.length; index += 4) pixels.fill(ground, index, index + 3)
  const grey = (color: number) => (color === 16 ? 0 : color === 231 ? 255 : ground)
  for (const [row, line] of modules.entries()) {
    let column = 0
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes that are drawn with
    for (const [, upper, lower] of line.matchAll(/\u001b\[38;5;(\d+);48;5;(\d+)m\u2580/g)) {
      for (const [half, color] of [upper, lower].entries()) {
        for (let y = 0; y < cell; y++) {
          const start = (((row * 2 + half) * cell + y + cell) * width + (column + 5) * cell) * 4
          for (let x = 0; x < cell; x++) pixels.fill(grey(Number(color)), start + x * 4, start + x * 4 + 3)
        }
      }
      column++
    }
  }
  return { pixels, width, height }
}

it.each([
  ['dark', 12],
  ['light', 250],
])('command 13: the QR code decodes as a %s terminal shows it', (_theme, ground) => {
  const uri = 'nativecoin:ntcrt1qr4k6llvpvf807fn78ce2y5whhwgrvkzwxwk6wy?amount=0.00113318'
  const { pixels, width, height } = render(drawQr(uri, 120, 60) ?? '', ground)
  expect(jsQR(pixels, width, height)?.data).toBe(uri)
})

it('command 13: has four modules of border on each side, and both colours in every character', () => {
  const lines = (drawQr('bitcoin:address', 120, 60) ?? '').trimEnd().split('\n')
  const white = '\u001b[38;5;231;48;5;231m\u2580'
  expect(lines.slice(0, 2).every((line) => line.replaceAll(white, '') === '\u001b[0m')).toBe(true)
  for (const line of lines.slice(0, -1)) expect(line.startsWith(white.repeat(4))).toBe(true)
})

it('command 13: draws no QR code where it does not fit, and always writes the link', async () => {
  expect(drawQr('bitcoin:address', 28, 60)).toBeUndefined()
  expect(drawQr('bitcoin:address', 120, 10)).toBeUndefined()
  const { user } = await start()
  const { stdout, stderr } = await user.run([...PUT, '--max-fee', '1'])
  expect(stdout).toContain('coin:address0')
  expect(stdout + stderr).not.toContain('\u2580')
})

const requestState = (state: string, received: number, expiresAt = 2_000_000_000): Route => [
  'GET',
  /^\/v0\/payment\?address=/,
  () => ({ json: requestJson({ address: 'address0', ...{ state, received, expiresAt, amount: 0.000001 } }) }),
]

it('command 14: says "settled" only when the service does, whatever was seen', async () => {
  const { api, user } = await start()
  serveStored(api, 'some content')
  api.routes.push(requestState('seen', 0.000001))
  let looks = 0
  api.fake.before = ({ method, path }) => {
    if (method !== 'GET' || !/^\/v0\/item\/[0-9a-f]{24}$/.test(path) || ++looks < 3) return undefined
    for (const item of api.fake.items.values()) item.status = looks < 4 ? '202 Accepted' : '200 OK'
    return undefined
  }
  const { code, stderr, stdout } = await user.run([...PUT, '--max-fee', '1', '--wait'])
  expect(code).toBe(0)
  expect(stderr.indexOf('was seen')).toBeLessThan(stderr.indexOf('is settled'))
  expect(looks).toBeGreaterThanOrEqual(3)
  expect(stdout).toContain('stored')
})

it('command 14: at expiry says what is missing and which command goes on, and ends with 8', async () => {
  const { api, user } = await start()
  api.routes.push(requestState('expired', 0.0000004))
  const { document } = await user.json([...PUT, '--max-fee', '1', '--wait'])
  expect(document).toMatchObject({
    exitCode: 8,
    error: {
      code: 'payment_expired',
      message: expect.stringContaining('0.0000006 of 0.000001 NTC is missing'),
      hint: expect.stringContaining('same command'),
    },
  })
})

it('command 15: at Ctrl-C says at once what is kept and how to go on, and ends with 130', async () => {
  const { api, user } = await start()
  api.routes.push(requestState('open', 0))
  const told = Promise.withResolvers<Fate>()
  let pressed = false
  const ran = await user.run([...PUT, '--max-fee', '1', '--wait', '--json'], {
    onStart(child) {
      child.stderr?.on('data', (data) => {
        if (String(data).includes('Cancelled')) told.resolve('answer')
      })
      api.fate = ({ path }) => {
        if (!path.startsWith('/v0/payment?')) return 'answer'
        if (!pressed) child.kill('SIGINT')
        pressed = true
        // Whoever waits for this answer before saying anything waits for ever.
        return told.promise
      }
    },
  })
  expect(ran.code).toBe(130)
  expect(ran.stderr).toContain('hookline put a.txt --to nativecoin --max-fee 1 --wait --json')
  expect(JSON.parse(ran.stdout)).toMatchObject({ ok: false, exitCode: 130, error: { code: 'cancelled' } })
})

it('command 15: a second Ctrl-C kills', async () => {
  const { api, user } = await start()
  const ran = await user.run([...PUT, '--max-fee', '1', '--wait'], {
    onStart(child) {
      api.fate = async ({ path }): Promise<Fate> => {
        if (path === '/v0/targets') {
          child.kill('SIGINT')
          child.kill('SIGINT')
          await new Promise((resolve) => setTimeout(resolve, 50))
          child.kill('SIGINT')
        }
        return 'answer'
      }
    },
  })
  expect([ran.code, ran.signal]).toSatisfy(([code, signal]) => code === 130 || signal === 'SIGINT')
})

it('a payment that was seen is not shown again, so that no wallet pays it twice', async () => {
  const { api, user } = await start()
  const first = await user.run([...PUT, '--max-fee', '1'])
  expect(first.stdout).toContain('coin:address0')
  api.routes.push(requestState('seen', 0.000001))
  const again = await user.run([...PUT, '--max-fee', '1'])
  expect(again.code).toBe(8)
  expect(again.stdout + again.stderr).not.toContain('coin:address0')
  expect(again.stderr).toContain('nothing is left to pay')
})

it.each([
  ['pay', ['--pay-from-balance']],
  ['put', ['--pay-from-balance']],
])(
  '%s pays what fits a chain only just as it is stored, though no file of that size could be promised',
  async (command, paying) => {
    const { api, user } = await start({ balance: 1 })
    api.routes.unshift(targetsWith({ maxIncompressibleBytes: 90 }), [
      'POST',
      /^\/v0\/estimate$/,
      ({ body }) => (JSON.parse(body).files[0].size > 90 ? TOO_LARGE : undefined),
    ])
    api.fake.storedSize = 94
    user.write('a.txt', 'a'.repeat(1000))
    const put = [...PUT, '--max-fee', '1']
    const [item] = (await user.json(put)).document.result.items
    const { document } = await user.json(
      command === 'put' ? [...put, ...paying] : ['pay', item.id, '--max-fee', '1', ...paying],
    )
    expect(document.result).toMatchObject({ state: 'writing' })
    expect(api.fake.charges).toBe(1)
  },
)

const TOO_LARGE = { status: 422, json: { code: 'content_too_large', message: 'Too large.', targets: [] } }
